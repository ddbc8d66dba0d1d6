/** Rules of user statuses. */
import type { Db } from '../../../db/database.ts'
import { assertValid } from '../../../validation.ts'
import { deleteStatus, type UserStatus, upsertStatus } from './status.queries.ts'

const usualEmoji = 'speech_balloon'
const longestMessage = 100

/** Sets the status; if both emoji and message are empty, removes it and returns null. */
export async function setStatus(db: Db, user_id: number, status: { emoji: string; message: string }): Promise<UserStatus | null> {
  if (status.emoji.trim() === '' && status.message.trim() === '') {
    await deleteStatus(db, user_id)
    return null
  }
  const { isEmoji } = await import('../../instance/emoji.ts')
  const stored = { user_id, emoji: status.emoji.trim() === '' ? usualEmoji : status.emoji, message: status.message }
  assertValid({
    emoji: isEmoji(stored.emoji) ? null : 'is not included in the list',
    message: [...stored.message].length > longestMessage ? `is too long (maximum is ${longestMessage} characters)` : null,
  })
  await upsertStatus(db, stored)
  return stored
}
