/** Awarding emoji to an issue, and taking them back. */
import { Type } from 'typebox'
import { inTransaction } from '../../../db/database.ts'
import { invalid } from '../../../failure.ts'
import { isEmoji } from '../../../features/instance/emoji.ts'
import { toggleAwardIn } from '../../../features/planning/award-emoji/award-emoji.ts'
import { issueInPath } from '../../../features/planning/issues/issues.ts'
import { project, unarchived } from '../../../http/rules.ts'
import { within } from '../../../http/within.ts'
import { action } from '../../frame/declaration.ts'
import { issueAddress } from './parts.ts'
import { noteableOf } from './seen.ts'
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

export const emojiPages = [
  action('POST /:project/issues/:issue_iid/emoji', {
    access: within(unarchived(project('signed-in')), issueInPath),
    form: emojiForm,
    async act({ app, user, project, level, issue, sent }) {
      const name = emojiIn(sent)
      await inTransaction(app.db, (tx) => toggleAwardIn(tx, user, { noteable: noteableOf({ issue, project, level }), note: null }, name))
      return { redirect: issueAddress(project, issue.iid) }
    },
  }),
]
