/** The page of a merge request: its description, the merge box, its sidebar and its discussion. */
import { canManageMergeRequests } from '../../../access/merge-requests.ts'
import { seesInternalNotes } from '../../../access/notes.ts'
import type { MergeRequestVersion, Note } from '../../../db/tables.ts'
import { listAwards } from '../../../features/discussion/award-emoji/award-emoji.ts'
import { visibleParticipants } from '../../../features/discussion/participation/participation.ts'
import { hasPendingTodo } from '../../../features/discussion/todos/todos.ts'
import { versionOf } from '../../../features/instance/watching/watching.ts'
import { keyOf } from '../../../features/noteable-kinds.ts'
import { isSubscribed } from '../../../features/planning/issuables/issuables.ts'
import { approvalsOf } from '../../../features/review/approvals/approvals.ts'
import type { DescribedMergeRequest } from '../../../features/review/merge-requests/merge-requests.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import type { Typed, View } from '../../frame/declaration.ts'
import { textFieldScript } from '../../frame/forms.ts'
import { liveUpdates } from '../../frame/live.ts'
import { wholeAddress } from '../../planning/discussion/discussed.ts'
import { type RefusedNote, readTalk, type Talk, talkView } from '../../planning/discussion/discussion.ts'
import { descriptionCard } from '../../planning/discussion/note-view.ts'
import { reactionMenu, reactions } from '../../planning/discussion/reactions.ts'
import { milestonesFor } from '../../planning/lists/names.ts'
import { person } from '../../project/people.ts'
import { proseOf } from '../../project/prose.ts'
import { withTickableTasks } from '../../project/tasks.ts'
import { suggestionView } from '../suggestions/suggestions-view.ts'
import { codeAbove } from './code-above.ts'
import { mayEdit, mergeRequestView, stateEventOf } from './frame.ts'
import { mergeBox } from './merge-box.ts'
import { readMerging } from './merging.ts'
import { positionLink } from './note-positions.ts'
import { mergeRequestAddress } from './parts.ts'
import { readPeople } from './read.ts'
import { type MergeRequestSeen, noteableOf } from './seen.ts'
import { sentences } from './sentences.ts'
import { type Beside, sidebar } from './sidebar.ts'
import { readBefore } from './stack.ts'
import { suggestedFor } from './suggested.ts'

/** Optional parts of the page. */
export interface Shown {
  /** Page number of the discussion. */
  page?: number
  refusedNote?: RefusedNote | null
  /** A rejected form of the sidebar. */
  refusedDetail?: Typed | null
  /** The form that merges. */
  refusedMerge?: Typed | null
  /** The form that approves. */
  refusedApproval?: Typed | null
}

export async function overview(known: MergeRequestSeen, shown: Shown = {}): Promise<View> {
  const { page = 1, refusedNote = null, refusedDetail = null, refusedMerge = null, refusedApproval = null } = shown
  const merging = await readMerging(known)
  const seen = { ...known, merge_request: merging.mergeability.merge_request }
  const { app, merge_request } = seen
  const framed = { ...(await readPeople(seen)), version: merging.version }
  const { described } = framed
  const topic = seesInternalNotes(seen) ? 'internal_merge_request' : 'merge_request'
  const [approvals, live] = await Promise.all([approvalsOf(app.db, merge_request.id), versionOf(app, topic, merge_request.id)])
  const discussed = { ...seen, noteable: noteableOf(seen) }
  const whole = seen.user !== null && { wholeOf: () => wholeAddress(discussed.noteable) }
  const [description] = await proseOf(app, seen, [merge_request.description], sentences.tooLong, { ...whole })
  const address = mergeRequestAddress(seen.project, merge_request.iid)
  const tickable =
    description && mayEdit(seen, described)
      ? withTickableTasks(description, { action: `${address}/tasks`, token: seen.token })
      : description
  const author = html`${person(app, described.author)} <span class="hint">${ago(merge_request.created_at)}</span>`
  const applying = { changes: `${address}/diffs`, mayPush: framed.source.mayPush, isOneOfSeveral: false }
  const read = await readTalk(discussed, page)
  const openings = read.threads.flatMap(([first]) => (first && first.note.commit_oid === null ? [first.note] : []))
  const code = await codeAbove(seen.repo, openings)
  const talk: Talk = {
    ...read,
    placeOf: (opening: Note) => html`${positionLink(seen, opening)}${code.get(opening.id) ?? null}`,
    belowNote: ({ note, suggestions }) =>
      html`${suggestions.map((suggestion) => suggestionView(seen, { note, suggestion, back: `${address}#note_${note.id}`, ...applying }))}`,
  }
  const beside = { ...(await besideOf(seen, framed, refusedDetail)), approvals, before: await readBefore(seen) }
  return mergeRequestView(seen, framed, 'overview', {
    title: '',
    scripts: ['planning.js', textFieldScript],
    main: html`
      <div class="issue-text">
        ${liveUpdates(topic, merge_request.id, live ?? '', 'refresh')}
        ${descriptionCard({ author, text: tickable, ...(await reactionsOf(seen)) })}
        ${await mergeBox(seen, { framed, merging, approvals, refused: refusedMerge, refusedApproval })}
      </div>
      ${sidebar(seen, beside)}
      <div class="issue-talk">${talkView(discussed, talk, refusedNote, stateEventOf(seen, described))}</div>
    `,
  })
}

/** Two statements. */
async function reactionsOf(seen: MergeRequestSeen): Promise<{ menu: Html | null; reactions: Html | null }> {
  const { app, user, project, merge_request, token } = seen
  const { rows } = await listAwards(app.db, { kind: 'merge_request', id: merge_request.id }, { limit: maxAwards, offset: 0 })
  const viewer = project.archived ? null : user
  const form = { action: `${mergeRequestAddress(project, merge_request.iid)}/emoji`, token, viewer, id: 'request-emoji-' }
  return { menu: reactionMenu(rows, form), reactions: reactions(rows, form) }
}

const maxAwards = 1_000

/** At most eight statements, ten more where code owners are suggested. */
async function besideOf(
  seen: MergeRequestSeen,
  { described, version }: { described: DescribedMergeRequest; version: MergeRequestVersion | null },
  refused: Typed | null,
): Promise<Omit<Beside, 'approvals' | 'before'>> {
  const { app, project, user } = seen
  const noteable = noteableOf(seen)
  const target = keyOf(noteable)
  const isPlanner = user !== null && canManageMergeRequests(seen) && !project.archived
  const [milestones, suggested, participants, own] = await Promise.all([
    isPlanner ? milestonesFor(app, { project }) : [],
    isPlanner ? suggestedFor(seen, described, version) : [],
    visibleParticipants(app.db, noteable),
    user && Promise.all([isSubscribed(app.db, user.id, target), hasPendingTodo(app.db, user.id, target)]),
  ])
  return { described, milestones, suggested, participants, own: own && { isSubscribed: own[0], hasTodo: own[1] }, refused }
}
