/** Award emoji on noteables and their notes: one family. */
import { Type } from 'typebox'
import type { StoredName } from '../../../db/tables.ts'
import { type Endpoint, endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import {
  type Access,
  administrators,
  type Condition,
  only,
  type ProjectGranted,
  type SignedIn,
  unarchived,
} from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id, none } from '../../../http/parameters/schema.ts'
import { type NoteableGranted, type NoteableKind, noteableKinds, storedKinds } from '../../noteable-kinds.ts'
import { type NoteGranted, noteOn } from '../notes/notes.ts'
import { presentAward } from './award-emoji.present.ts'
import { type Award, listAwards } from './award-emoji.queries.ts'
import { AwardEmoji } from './award-emoji.schema.ts'
import { type Awardable, award, findAward, keyOfAwardable, removeAward } from './award-emoji.service.ts'

interface AwardableGranted {
  awardable: Awardable
}

interface AwardGranted {
  given: Award
}

type Reach = ProjectGranted & SignedIn & NoteableGranted & AwardableGranted

const noteableItself = nested(
  {},
  ({ noteable }: NoteableGranted<StoredName>): AwardableGranted => ({ awardable: { noteable, note: null } }),
)
const noteOnIt = nested({}, ({ noteable, note }: NoteableGranted & NoteGranted): AwardableGranted => ({ awardable: { noteable, note } }))

/** Grants the award in `:award_id`. */
const awardInPath = nested(
  { award_id: Id },
  async ({ awardable }: AwardableGranted, { award_id }, app): Promise<AwardGranted> => ({
    given: await findAward(app.db, awardable, award_id),
  }),
)

const givenBySelf: Condition<SignedIn & AwardGranted> = {
  description: 'who awarded it',
  holds: ({ user, given }) => given.user_id === user.id,
}
/** Endpoints for the award emoji of a kind of noteable, and of the notes on it. */
function awardEmojiOn(kind: NoteableKind<StoredName>): Endpoint[] {
  const { path, label, access } = kind
  return [...awardsAt(path, label, within(access, noteableItself)), ...awardEmojiOnNotesOf(kind)]
}

/** Endpoints for those of the notes only. */
function awardEmojiOnNotesOf(kind: NoteableKind): Endpoint[] {
  const { path, label } = kind
  return awardsAt(`${path}/notes/:note_id`, `a note of ${label}`, within(noteOn(kind), noteOnIt))
}

function awardsAt<P extends string>(path: P, label: string, access: Access<Reach>): Endpoint[] {
  return [
    listEndpoint(`GET /projects/:id/${path}/award_emoji`, {
      summary: `List the emoji awarded to ${label}`,
      access,
      item: AwardEmoji,
      async handle({ app, awardable, page }) {
        const { rows, total } = await listAwards(app.db, keyOfAwardable(awardable), page)
        return { rows: rows.map((given) => presentAward(app.config, given)), total }
      },
    }),
    endpoint(`GET /projects/:id/${path}/award_emoji/:award_id`, {
      summary: `Get an emoji awarded to ${label}`,
      access: within(access, awardInPath),
      reply: AwardEmoji,
      handle: ({ app, given }) => presentAward(app.config, given),
    }),
    endpoint(`POST /projects/:id/${path}/award_emoji`, {
      summary: `Award an emoji to ${label}`,
      access: unarchived(access),
      body: { name: Type.String({ maxLength: 255, description: 'Name of the emoji, without colons' }) },
      reply: AwardEmoji,
      async handle({ app, user, awardable, body }) {
        return presentAward(app.config, await award(app, user, awardable, body.name))
      },
    }),
    endpoint(`DELETE /projects/:id/${path}/award_emoji/:award_id`, {
      summary: `Remove an emoji awarded to ${label}`,
      access: only(within(unarchived(access), awardInPath), givenBySelf, administrators),
      reply: none,
      lastChanged: ({ given }) => given.updated_at,
      async handle({ app, given }) {
        await removeAward(app, given)
        return null
      },
    }),
  ]
}

export const awardEmoji = [
  ...storedKinds.flatMap(awardEmojiOn),
  ...noteableKinds.filter(({ table }) => table === null).flatMap(awardEmojiOnNotesOf),
]
