/** The rules of what users say they are at. */
import type { Db } from '../../../db/database.ts'
import { assertValid } from '../../../validation.ts'
import { deleteStatus, type UserStatus, upsertStatus } from './status.queries.ts'

const usualEmoji = 'speech_balloon'
const longestMessage = 100

/** Says it, or with neither an emoji nor a message takes back what was said: then null. */
export async function setStatus(db: Db, user_id: number, said: { emoji: string; message: string }): Promise<UserStatus | null> {
  if (said.emoji.trim() === '' && said.message.trim() === '') {
    await deleteStatus(db, user_id)
    return null
  }
  const { isEmoji } = await import('../../instance/emoji.ts')
  const status = { user_id, emoji: said.emoji.trim() === '' ? usualEmoji : said.emoji, message: said.message }
  assertValid({
    emoji: isEmoji(status.emoji) ? null : 'is not included in the list',
    message: [...status.message].length > longestMessage ? `is too long (maximum is ${longestMessage} characters)` : null,
  })
  await upsertStatus(db, status)
  return status
}
