// The table of what the extension can do: one line and one file per task type.

import type { ReadType, WriteType } from '../shared/protocol'
import type { Read, Write } from './task'
import { profile } from './profile'

export const reads: Partial<Record<ReadType, Read<any>>> = {
  agent_profile_fetch: profile,
}

export const writes: Partial<Record<WriteType, Write<any>>> = {}
