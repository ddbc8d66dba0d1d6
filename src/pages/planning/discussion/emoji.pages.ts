/** Awarding emoji to what is discussed, and taking them back. */
import { Type } from 'typebox'
import { invalid } from '../../../failure.ts'
import { toggleAward } from '../../../features/discussion/award-emoji/award-emoji.ts'
import { noteableIn, noteableKinds, type StoredPath } from '../../../features/discussion/noteables/noteables.ts'
import { isEmoji } from '../../../features/instance/emoji.ts'
import { unarchived } from '../../../http/declare/rules.ts'
import { action, type Page } from '../../frame/declaration.ts'
import { noteableAddress } from './discussed.ts'
import { sentences } from './sentences.ts'

/** A button of one that is offered, or a name that was typed. */
export const emojiForm = {
  name: Type.Optional(Type.String({ maxLength: 100 })),
  other: Type.String({ default: '', maxLength: 100 }),
}

/** Throws 400 for what is no emoji. */
export function emojiIn({ name, other }: { name?: string; other: string }): string {
  const sent = (name ?? other).trim().replace(/^:|:$/g, '').toLowerCase()
  if (!isEmoji(sent)) throw invalid(sentences.noEmoji)
  return sent
}

/** `emojiPages('issues')`. */
export function emojiPages(path: StoredPath): Page[] {
  return [
    action(`POST /:project/${noteableKinds[path].path}/emoji`, {
      access: unarchived(noteableIn(path, 'signed-in')),
      form: emojiForm,
      async act({ app, user, noteable, sent }) {
        const name = emojiIn(sent)
        await toggleAward(app, user, { noteable, note: null }, name)
        return { redirect: noteableAddress(noteable) }
      },
    }),
  ]
}
