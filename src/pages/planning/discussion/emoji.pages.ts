/** Awards emoji to noteables and notes, and revokes them. */
import { Type } from 'typebox'
import type { StoredName } from '../../../db/tables.ts'
import { invalid } from '../../../failure.ts'
import { toggleAward } from '../../../features/discussion/award-emoji/award-emoji.ts'
import { isEmoji } from '../../../features/instance/emoji.ts'
import type { NoteableKind } from '../../../features/noteable-kinds.ts'
import { unarchived } from '../../../http/declare/rules.ts'
import { action, type Page } from '../../frame/declaration.ts'
import { noteableAddress } from './discussed.ts'
import { sentences } from './sentences.ts'

/** A button of a suggested emoji, or a name that was typed. */
export const emojiForm = {
  name: Type.Optional(Type.String({ maxLength: 100 })),
  other: Type.String({ default: '', maxLength: 100 }),
}

/** Throws 400 if it isn't an emoji. */
export function emojiIn({ name, other }: { name?: string; other: string }): string {
  const sent = (name ?? other).trim().replace(/^:|:$/g, '').toLowerCase()
  if (!isEmoji(sent)) throw invalid(sentences.noEmoji)
  return sent
}

/** `emojiPages(issueKind)`. */
export function emojiPages({ path, access }: NoteableKind<StoredName>): Page[] {
  return [
    action(`POST /:project/${path}/emoji`, {
      access: unarchived(access),
      form: emojiForm,
      async act({ app, user, noteable, sent }) {
        const name = emojiIn(sent)
        await toggleAward(app, user, { noteable, note: null }, name)
        return { redirect: noteableAddress(noteable) }
      },
    }),
  ]
}
