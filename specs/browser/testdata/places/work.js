// Runs in the page, and in the offscreen document: reads one page after the other.
globalThis.work = async (url, pages) => {
  for (let n = 0; n < pages; n++) {
    const answer = await fetch(url, { credentials: 'include', cache: 'no-store' })
    await answer.text()
    await new Promise(resolve => setTimeout(resolve))
    globalThis.read = n + 1
  }
  return pages
}
globalThis.chrome?.runtime?.onMessage?.addListener((message, _, reply) => {
  if (message.work) void work(...message.work).then(reply)
  return message.work !== undefined
})
