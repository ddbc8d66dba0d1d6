/** Discussions as they are shown: their notes, and what may be done with them. */
import type { Note } from '../../../db/tables.ts'
import type { Award } from '../../../features/discussion/award-emoji/award-emoji.ts'
import { canDiscuss, type DescribedNote } from '../../../features/discussion/notes/notes.ts'
import { type Html, html } from '../../../html/html.ts'
import { signInFrom } from '../../frame/addresses.ts'
import { icon } from '../../frame/parts.ts'
import type { Discussed } from './discussed.ts'
import { sentences } from './sentences.ts'

/** Notes by the discussions they belong to. */
export interface Threads {
  threads: DescribedNote[][]
  bodies: Map<number, Html | null>
  awards: Map<number, Award[]>
  /** How many replies of each discussion were left out. */
  left: ReadonlyMap<string, number>
  /** Replies and resolutions are posted here, if not below the page of the noteable. */
  action?: string
  /** Further buttons beside the reply, such as one that adds it to a review. */
  replyChoices?: Html
  /** Content below the replies. */
  belowOf?: (discussion_id: string) => Html | null
  /** Content below a note. */
  belowNote?: (described: DescribedNote) => Html | null
  /** The page to return to after a note was changed, if it isn't that of the noteable. */
  backTo?: (discussion_id: string) => string
  /** A link to the discussion's position in a diff, above its first note. */
  placeOf?: (opening: Note) => Html | null
}

/** Why the viewer can't comment; null where they can. */
export function refusalToComment({ user, project, noteable, address }: Discussed): Html | null {
  if (user === null) return html`<p><a href="${signInFrom(address)}">Sign in</a> ${sentences.signInToComment}.</p>`
  if (project.archived) return html`<p class="hint">${icon('lock')} ${sentences.archived}</p>`
  return canDiscuss(noteable) ? null : html`<p class="hint">${icon('lock')} ${sentences.locked}</p>`
}
