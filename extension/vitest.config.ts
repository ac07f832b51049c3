import { defineConfig } from 'vitest/config'

export default defineConfig({
  define: { NETWORK_ORIGIN: '"http://network.test"', SERVICE_ORIGIN: '"http://service.test"', WAKE_SECONDS: '30', ADAPTER: '"auto"' },
  test: { include: ['test/**/*.test.ts'], testTimeout: 60_000 },
})
