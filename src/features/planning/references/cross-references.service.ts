/** Notes on issues and merge requests about where they are mentioned: one for each place, seen by those alone who can see that place. */
import type { LocatedProject } from '../../../access/find.ts'
import type { Tx } from '../../../db/database.ts'
import type { Instant } from '../../../db/tables.ts'
import type { Reference } from '../../instance/markdown/markdown.ts'
import { columnOf, type Issuable, type IssuableRow, kindsByName } from '../noteables/noteables.ts'
import { commitReference, insertSystemNotes, mentionedText, noteableReference } from '../notes/notes.ts'
import { thoseThatKnow, thoseThatKnowCommit } from './cross-references.queries.ts'
import type { Resolved } from './resolve.ts'
import type { NamedIssue, NamedMergeRequest, NamedProject } from './targets.queries.ts'

interface Place {
  on: IssuableRow
  project: LocatedProject
  author_id: number
  at: Instant
}

/** What is mentioned, and the project it is in. */
export interface Mentioned {
  kind: Issuable['kind']
  row: NamedIssue | NamedMergeRequest
  project: NamedProject
}

const kinds = ['issue', 'merge_request'] as const

/** Says on each thing that is mentioned that it is, once. `references` are those of a text of `on`, resolved for its author. */
export async function noteMentionsIn(tx: Tx, place: Place, references: Iterable<Reference>, resolved: Resolved): Promise<void> {
  const { on, project } = place
  const about = columnOf(on)
  const others = mentionedAmong(references, resolved).filter(({ kind, row }) => kind !== on.kind || row.id !== on.row.id)
  for (const kind of kinds) {
    const targets = others.filter((other) => other.kind === kind)
    const ids = targets.map(({ row }) => row.id)
    const known = await thoseThatKnow(tx, kind, ids, about)
    const referred = { iid: on.row.iid, project_path: project.full_path }
    const text = ({ full_path }: NamedProject) =>
      mentionedText(`${kindsByName[on.kind].noun} ${noteableReference(on.kind, referred, full_path)}`)
    const fresh = targets.filter(({ row }) => !known.has(row.id))
    await insertSystemNotes(
      tx,
      fresh.map((noteable) => ({ ...text(noteable.project), noteable, author_id: place.author_id, at: place.at, about })),
    )
  }
}

/** The issues and merge requests among them, each once. */
export function mentionedAmong(references: Iterable<Reference>, resolved: Resolved): Mentioned[] {
  const found = new Map<string, Mentioned>()
  for (const reference of references) {
    const target = resolved(reference)
    if (target?.kind === 'issue') found.set(`#${target.issue.id}`, { kind: 'issue', row: target.issue, project: target.project })
    if (target?.kind === 'merge_request')
      found.set(`!${target.merge_request.id}`, { kind: 'merge_request', row: target.merge_request, project: target.project })
  }
  return [...found.values()]
}

interface CommitPlace {
  project: LocatedProject
  oid: string
  author_id: number
  at: Instant
}

/** As `noteMentionsIn`, of a commit: by its message, or by a comment on it. Seen by those who can read its code. */
export async function noteMentionsInCommit(tx: Tx, place: CommitPlace, mentioned: Mentioned[]): Promise<void> {
  const { project, oid, author_id, at } = place
  for (const kind of kinds) {
    const targets = mentioned.filter((one) => one.kind === kind)
    const ids = targets.map(({ row }) => row.id)
    const known = await thoseThatKnowCommit(tx, kind, ids, oid)
    const fresh = targets.filter(({ row }) => !known.has(row.id))
    await insertSystemNotes(
      tx,
      fresh.map((noteable) => ({
        ...mentionedText(commitReference(oid, project.full_path, noteable.project.full_path)),
        noteable,
        author_id,
        at,
        about: { project_id: project.id },
      })),
    )
  }
}
