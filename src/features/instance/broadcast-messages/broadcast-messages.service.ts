/** Rules of broadcast messages: their contents, and when they are displayed. */
import type { Db } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { BroadcastMessage } from '../../../db/tables.ts'
import { missing } from '../../../failure.ts'
import { assertValid, blankError, lengthError } from '../../../validation.ts'
import { insertMessage, messageById, updateMessage } from './broadcast-messages.queries.ts'

export interface SentMessage {
  message: string
  starts_at?: string
  ends_at?: string
  color?: string
  font?: string
}

const hour_ms = 3_600_000
const longest = 10_000

/** By default displayed for an hour from now. Throws 400 with the errors. */
export function createMessage(db: Db, sent: SentMessage): Promise<BroadcastMessage> {
  const made = Date.now()
  const row = {
    color: '#E75E40',
    font: '#FFFFFF',
    starts_at: new Date(made).toISOString(),
    ends_at: new Date(made + hour_ms).toISOString(),
    ...sent,
  }
  assertWellFormed(row)
  return insertMessage(db, { ...row, created_at: new Date(made).toISOString() })
}

/** Fields that aren't sent are kept. Throws 404 if there is no such message, 400 with the errors. */
export async function changeMessage(db: Db, id: number, change: Partial<SentMessage>): Promise<BroadcastMessage> {
  const known = await findMessage(db, id)
  assertWellFormed(change)
  if (Object.keys(change).length === 0) return known
  const changed = await updateMessage(db, id, change)
  if (!changed) throw missing()
  return changed
}

/** Throws 404 if there is none. */
export async function findMessage(db: Db, id: number): Promise<BroadcastMessage> {
  const found = await messageById(db, id)
  if (!found) throw missing()
  return found
}

/** Whether it is to be displayed now. */
export function isActive({ starts_at, ends_at }: BroadcastMessage): boolean {
  const at = now()
  return starts_at <= at && at <= ends_at
}

function assertWellFormed({ message, color, font }: Partial<SentMessage>): void {
  assertValid({
    message: message === undefined ? null : (blankError(message) ?? lengthError(message, longest)),
    color: colorError(color),
    font: colorError(font),
  })
}

function colorError(color = ''): string | null {
  return color === '' || /^#([0-9a-f]{3}){1,2}$/i.test(color) ? null : 'must be a valid color code'
}
