/** Applies suggestions: one commit on the source branch of their merge request, through the journal of pushes. */
import { findProject, type ProjectAccess } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import type { MergeRequest, Note, Suggestion, User } from '../../../db/tables.ts'
import { forbidden, invalid, notFound } from '../../../failure.ts'
import { isWritablePath } from '../../../git/objects/paths.ts'
import { findEntry, readCommit } from '../../../git/objects/read.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { countedFor } from '../../../git/repository/handles.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { type FileChange, type FileMode, type Person, writeCommit } from '../../../git/write/fast-import.ts'
import { userKey } from '../../../limits/callers.ts'
import { type PlaceholderValues, placeholderFiller } from '../../../text/placeholders.ts'
import { traceNotes } from '../../discussion/diff-discussions/diff-discussions.ts'
import { changeRefs, mayCommitTo } from '../../repository/pushes/pushes.ts'
import {
  isApplicable,
  linesBetween,
  linesOfSuggestion,
  markApplied,
  positionOf,
  suggestionsByIds,
  type TextPosition,
  textAt,
  withLinesReplaced,
} from '../../review/diff-notes/diff-notes.ts'
import { findMergeRequest, mergeRequestById } from '../../review/merge-requests/merge-requests.ts'
import { currentVersion } from '../../review/versions/versions.ts'
import { authorsOf } from './suggestions.queries.ts'

export interface Placed {
  suggestion: Suggestion
  note: Note
}

const maxSuggestions = 100
const maxMessage_chars = 100_000

/**
 * Applies suggestions of one merge request in one commit, as a user who may push to its source branch. Throws 404 if the user can't see one
 * of them, 403 if they may not push there, 400 if a suggestion can't be applied (its lines have changed, it is already applied, two of them
 * overlap, the branch has moved).
 */
export async function applySuggestions(app: App, user: User, ids: number[], message: string | null): Promise<Placed[]> {
  const wanted = [...new Set(ids)]
  if (wanted.length > maxSuggestions) throw invalid(`At most ${maxSuggestions} suggestions can be applied at once.`)
  const { merge_request } = await findAll(app, user, wanted)
  await currentVersion(app, merge_request)
  await traceNotes(app, merge_request.id, user.id)
  const { merge_request: current, target, placed } = await findAll(app, user, wanted)
  if (placed.some(({ suggestion, note }) => !isApplicable(suggestion, note, current))) throw notApplicable()
  const source = await sourceOf(app, user, current)
  const repo = countedFor(app.git.open(source.project.id), userKey(user))
  const head = await resolveCommit(repo, `refs/heads/${current.source_branch}`)
  if (head === null || head !== current.head_oid) throw notApplicable()
  const changes = await changedFiles(repo, head, placed)
  const oid = await writeCommit(repo, {
    parents: [head],
    author: await authorOf(app, user, placed),
    committer: user,
    message: message?.trim() ? message.slice(0, maxMessage_chars) : messageOf(target, source, current, user, placed, changes),
    changes,
  })
  const change = { ref: `refs/heads/${current.source_branch}`, before: head, after: oid }
  await changeRefs(app, { ...source, user }, [change], { also: (tx) => markApplied(tx, wanted, oid) })
  await currentVersion(app, (await mergeRequestById(app.db, current.id)) ?? current)
  return (await suggestionsByIds(app.db, wanted)) as Placed[]
}

function notApplicable() {
  return invalid('A suggestion is not applicable.')
}

/** Finds suggestions of one merge request, which the user must be able to see. */
async function findAll(app: App, user: User, ids: number[]) {
  const placed = await suggestionsByIds(app.db, ids)
  const merge_request = await mergeRequestById(app.db, placed[0]?.note.merge_request_id ?? 0)
  if (!merge_request || placed.length < ids.length) throw notFound('Suggestion')
  const target = await findProject(app.db, String(merge_request.project_id), user).catch(() => {
    throw notFound('Suggestion')
  })
  await findMergeRequest(app.db, target, merge_request.iid, user)
  if (placed.some(({ note }) => note.merge_request_id !== merge_request.id))
    throw invalid('Suggestions must all be on the same merge request.')
  return { merge_request, target, placed }
}

async function sourceOf(app: App, user: User, { source_project_id, source_branch }: MergeRequest): Promise<ProjectAccess> {
  const source = source_project_id === null ? null : await findProject(app.db, String(source_project_id), user).catch(() => null)
  if (!source || !(await mayCommitTo(app, { ...source, user }, source_branch))) throw forbidden()
  return source
}

/** The files with the lines replaced, from last to first within each. */
async function changedFiles(repo: Repo, head: string, placed: Placed[]): Promise<FileChange[]> {
  const byPath = new Map<string, Placed[]>()
  for (const each of placed) {
    const { new_path } = positionOf(each.note.position as string) as TextPosition
    byPath.set(new_path, [...(byPath.get(new_path) ?? []), each])
  }
  const { tree } = await readCommit(repo, head)
  const changes: FileChange[] = []
  for (const [path, some] of byPath) {
    const [text, entry] = [await textAt(repo, head, path), await findEntry(repo, tree, path)]
    if (text === null || entry === null || !isWritablePath(path)) throw notApplicable()
    const content = Buffer.from(withSuggestions(text, some))
    changes.push({ kind: 'write', path, mode: entry.mode as FileMode, content: () => content })
  }
  return changes
}

function withSuggestions(text: string, placed: Placed[]): string {
  const ranges = placed
    .map(({ suggestion, note }) => ({ ...linesOfSuggestion(suggestion, note), suggestion }))
    .sort((one, other) => other.from_line - one.from_line)
  let changed = text
  let before = Number.POSITIVE_INFINITY
  for (const { from_line, to_line, suggestion } of ranges) {
    if (to_line >= before) throw invalid('Suggestions that change the same lines can not be applied together.')
    if (linesBetween(text, from_line, to_line) !== suggestion.from_content) throw notApplicable()
    changed = withLinesReplaced(changed, from_line, to_line, suggestion.to_content)
    before = from_line
  }
  return changed
}

/**
 * The author of the commit: the author of the suggestions or, if they have several, the user who applies them. Email addresses of others
 * are not disclosed: they get one that receives no mail.
 */
async function authorOf(app: App, user: User, placed: Placed[]): Promise<Person> {
  const [first, ...others] = await authorsOf(app.db, [...new Set(placed.map(({ note }) => note.author_id))])
  if (!first || others.length > 0 || first.id === user.id) return user
  return { name: first.name, email: `${first.id}-${first.username}@users.noreply.${new URL(app.config.url).hostname}` }
}

const usualMessage = 'Apply %{suggestions_count} suggestion(s) to %{files_count} file(s)'

/** From the template of the target project, in which placeholders stand for numbers and names. */
function messageOf(
  { project }: ProjectAccess,
  source: ProjectAccess,
  { source_branch }: MergeRequest,
  user: User,
  placed: Placed[],
  changes: FileChange[],
): string {
  const values: PlaceholderValues = {
    branch_name: () => source_branch,
    files_count: () => String(changes.length),
    file_paths: () => changes.map(({ path }) => path).join(', '),
    project_name: () => source.project.name,
    project_path: () => source.project.path,
    suggestions_count: () => String(placed.length),
    user_full_name: () => user.name,
    username: () => user.username,
  }
  const template = project.suggestion_commit_message?.trim() || usualMessage
  return placeholderFiller(values, maxMessage_chars)(template)
}
