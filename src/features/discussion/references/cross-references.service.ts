/**
 * Notes on issues, merge requests and commits about where they are mentioned: one per place, visible only to users who can see that place.
 */
import type { LocatedProject } from '../../../access/find.ts'
import { oneAtATime, type Tx } from '../../../db/database.ts'
import type { Instant, IssuableName, NoteableRow, StoredName } from '../../../db/tables.ts'
import type { Reference } from '../../instance/markdown/markdown.ts'
import { issuableKinds, keyOf, kindOf } from '../../noteable-kinds.ts'
import { commitReference, insertSystemNotes, mentionedText, type NewSystemNote, projectReference, type SystemText } from '../notes/notes.ts'
import type { NamedCommit } from './commits.ts'
import { commitsThatKnow, thoseThatKnow, thoseThatKnowCommit } from './cross-references.queries.ts'
import type { Resolved } from './resolve.ts'
import type { NamedIssue, NamedMergeRequest, NamedProject } from './targets.queries.ts'

interface Place {
  on: NoteableRow<StoredName>
  project: LocatedProject
  author_id: number
  at: Instant
}

/** The text, with a reference as it must read in that project. */
type TextFrom = (project: NamedProject) => SystemText

/** A mentioned thing, and its project. */
export interface Mentioned {
  kind: IssuableName
  row: NamedIssue | NamedMergeRequest
  project: NamedProject
}

/** Adds a note to each mentioned thing, once. `references` are those of a text of `on`, resolved for its author. */
export async function noteMentionsIn(
  tx: Tx,
  place: Place & {
    /** Whether it is new, so that no note can mention it yet. */
    isNew: boolean
  },
  references: Iterable<Reference>,
  resolved: Resolved,
): Promise<void> {
  const { on } = place
  const [about, text] = [keyOf(on), textOfNoteable(place)]
  const others = mentionedAmong(references, resolved).filter(({ kind, row }) => kind !== on.kind || row.id !== on.row.id)
  for (const { name: kind } of issuableKinds) {
    const targets = others.filter((other) => other.kind === kind)
    const ids = targets.map(({ row }) => row.id)
    const known = place.isNew ? new Set<number>() : await thoseThatKnow(tx, kind, ids, about)
    const fresh = targets.filter(({ row }) => !known.has(row.id))
    await insertSystemNotes(
      tx,
      fresh.map((noteable) => ({ ...text(noteable.project), noteable, author_id: place.author_id, at: place.at, about })),
    )
  }
}

function textOfNoteable({ on, project }: Pick<Place, 'on' | 'project'>): TextFrom {
  const { noun, reference } = kindOf<StoredName>(on)
  return ({ full_path }) => mentionedText(`${noun} ${projectReference(project.full_path, full_path)}${reference(on.row)}`)
}

/** Adds the same kind of note to commits, one statement for all of them. A lock prevents two notes if the text is saved twice at once. */
export async function noteOnCommits(tx: Tx, place: Place, commits: readonly NamedCommit[]): Promise<void> {
  const about = keyOf(place.on)
  await oneAtATime(tx, `commits mentioned in ${place.on.kind} ${place.on.row.id}`)
  const known = await commitsThatKnow(tx, commits.map(keyOfCommit), about)
  await insertOnCommits(tx, { ...place, about, text: textOfNoteable(place) }, unaware(commits, known))
}

const keyOfCommit = ({ project, oid }: NamedCommit) => ({ project_id: project.id, oid })

function unaware(commits: readonly NamedCommit[], known: ReadonlySet<string>): NamedCommit[] {
  return commits.filter(({ project, oid }) => !known.has(`${project.id} ${oid}`))
}

async function insertOnCommits(
  tx: Tx,
  { about, text, author_id, at }: Pick<Required<NewSystemNote>, 'about' | 'at' | 'author_id'> & { text: TextFrom },
  commits: readonly NamedCommit[],
): Promise<void> {
  const noteOn = ({ project, oid }: NamedCommit): NewSystemNote => {
    const noteable = { kind: 'commit' as const, row: { oid, project_id: project.id } }
    return { ...text(project), noteable, author_id, at, about }
  }
  await insertSystemNotes(tx, commits.map(noteOn))
}

/** The distinct issues and merge requests among them. */
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

/**
 * As `noteMentionsIn` and `noteOnCommits`, for mentions in a commit message, or in a comment on a commit. Visible to users who can read its
 * code.
 */
export async function noteMentionsInCommit(
  tx: Tx,
  place: CommitPlace,
  mentioned: readonly Mentioned[],
  commits: readonly NamedCommit[] = [],
): Promise<void> {
  const { project, oid, author_id, at } = place
  if (mentioned.length + commits.length === 0) return
  const about = { project_id: project.id }
  const text: TextFrom = ({ full_path }) => mentionedText(commitReference(oid, project.full_path, full_path))
  await oneAtATime(tx, `mentioned in commit ${oid}`)
  for (const { name: kind } of issuableKinds) {
    const targets = mentioned.filter((one) => one.kind === kind)
    const ids = targets.map(({ row }) => row.id)
    const known = await thoseThatKnowCommit(tx, kind, ids, oid)
    const fresh = targets.filter(({ row }) => !known.has(row.id))
    await insertSystemNotes(
      tx,
      fresh.map((noteable) => ({ ...text(noteable.project), noteable, author_id, at, about })),
    )
  }
  const others = commits.filter((other) => other.oid !== oid)
  const known = await commitsThatKnow(tx, others.map(keyOfCommit), { oid })
  await insertOnCommits(tx, { about, text, author_id, at }, unaware(others, known))
}
