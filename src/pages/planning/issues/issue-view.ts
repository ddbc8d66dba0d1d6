/** The page of an issue: its title, its description, its sidebar and its discussion. */

import { canManageIssue, canUpdateIssue } from '../../../access/issues.ts'
import { seesInternalNotes } from '../../../access/notes.ts'
import { issueAddress, issuesAddress } from '../../../addresses/planning.ts'
import { listAwards } from '../../../features/discussion/award-emoji/award-emoji.ts'
import { visibleParticipants } from '../../../features/discussion/participation/participation.ts'
import { hasPendingTodo } from '../../../features/discussion/todos/todos.ts'
import { versionOf } from '../../../features/instance/watching/watching.ts'
import { keyOf } from '../../../features/noteable-kinds.ts'
import { countTasks, isSubscribed } from '../../../features/planning/issuables/issuables.ts'
import { type DescribedIssue, describeIssues } from '../../../features/planning/issues/issues.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago, count } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import type { Typed, View } from '../../frame/declaration.ts'
import { postButton, textFieldScript } from '../../frame/forms.ts'
import { liveUpdates } from '../../frame/live.ts'
import { icon } from '../../frame/parts.ts'
import { person } from '../../project/people.ts'
import { projectView } from '../../project/project-view.ts'
import { proseOf } from '../../project/prose.ts'
import { withTickableTasks } from '../../project/tasks.ts'
import { wholeAddress } from '../discussion/discussed.ts'
import { type RefusedNote, readTalk, type StateEvent, talkView } from '../discussion/discussion.ts'
import { descriptionCard } from '../discussion/note-view.ts'
import { reactionMenu, reactions } from '../discussion/reactions.ts'
import { milestonesFor } from '../lists/names.ts'
import { stateTag } from './parts.ts'
import { relatedView } from './related.ts'
import { type IssueSeen, noteableOf } from './seen.ts'
import { sentences } from './sentences.ts'
import { type Beside, sidebar } from './sidebar.ts'

/** Optional parts of the page. */
export interface Shown {
  /** Page number of the discussion. */
  page?: number
  refusedNote?: RefusedNote | null
  /** A rejected form of the sidebar. */
  refusedDetail?: Typed | null
  /** A rejected form for a new link. */
  refusedLink?: Typed | null
}

export async function issueView(
  seen: IssueSeen,
  { page = 1, refusedNote = null, refusedDetail = null, refusedLink = null }: Shown = {},
): Promise<View> {
  const { app, project, level, user, issue } = seen
  const [described] = (await describeIssues(app.db, user, [issue])) as [DescribedIssue]
  const topic = seesInternalNotes({ level }) ? 'internal_issue' : 'issue'
  const version = (await versionOf(app, topic, issue.id)) ?? ''
  const discussed = { ...seen, noteable: noteableOf(seen) }
  const whole = seen.user !== null && { wholeOf: () => wholeAddress(discussed.noteable) }
  const [description] = await proseOf(app, seen, [issue.description], sentences.tooLong, { ...whole })
  const tickable =
    description && mayEdit(seen, described)
      ? withTickableTasks(description, { action: `${issueAddress(project, issue.iid)}/tasks`, token: seen.token })
      : description
  const author = html`${person(app, described.author)} <span class="hint">${ago(issue.created_at)}</span>`
  const talk = await readTalk(discussed, page)
  return projectView(
    { project, level, user, tab: 'issues', showsCode: false },
    {
      title: `${issue.title} (#${issue.iid})`,
      main: html`
        ${liveUpdates(topic, issue.id, version, 'refresh')}
        <div class="issue">
          ${headOf(seen, described)}
          <div class="issue-text">
            ${descriptionCard({ author, text: tickable, ...(await reactionsOf(seen)) })}
          </div>
          ${sidebar(seen, await besideOf(seen, described, refusedDetail))}
          <div class="issue-talk">
            ${await relatedView(seen, refusedLink)}
            ${talkView(discussed, talk, refusedNote, stateEventOf(seen, described))}
          </div>
        </div>
      `,
      scripts: ['planning.js', textFieldScript],
    },
  )
}

/** Two statements. */
async function reactionsOf(seen: IssueSeen): Promise<{ menu: Html | null; reactions: Html | null }> {
  const { app, user, project, issue, token } = seen
  const { rows } = await listAwards(app.db, { kind: 'issue', id: issue.id }, { limit: maxAwards, offset: 0 })
  const viewer = project.archived ? null : user
  const form = { action: `${issueAddress(project, issue.iid)}/emoji`, token, viewer, id: 'issue-emoji-' }
  return { menu: reactionMenu(rows, form), reactions: reactions(rows, form) }
}

const maxAwards = 1_000

/** At most eight statements. */
async function besideOf(seen: IssueSeen, described: DescribedIssue, refused: Typed | null): Promise<Beside> {
  const { app, project, level, user } = seen
  const target = keyOf(noteableOf(seen))
  const isPlanner = canManageIssue({ level }) && !project.archived
  const [milestones, participants, own] = await Promise.all([
    isPlanner ? milestonesFor(app, { project }) : [],
    visibleParticipants(app.db, noteableOf(seen)),
    user && Promise.all([isSubscribed(app.db, user.id, target), hasPendingTodo(app.db, user.id, target)]),
  ])
  return { described, milestones, participants, own: own && { isSubscribed: own[0], hasTodo: own[1] }, refused }
}

function mayEdit({ project, level, user, issue }: IssueSeen, { assignees }: DescribedIssue): boolean {
  const ids = assignees.map(({ id }) => id)
  return user !== null && !project.archived && canUpdateIssue({ level }, issue, ids, user)
}

/** A closed issue whose discussion is locked can't be reopened by a comment. */
function stateEventOf(seen: IssueSeen, described: DescribedIssue): StateEvent {
  const { state, discussion_locked } = seen.issue
  if (!mayEdit(seen, described)) return null
  if (state === 'opened') return 'close'
  return discussion_locked === true ? null : 'reopen'
}

function headOf(seen: IssueSeen, described: DescribedIssue): Html {
  const { app, project, user, token } = seen
  const { issue, author, closed_by } = described
  const { title, iid, confidential, discussion_locked, created_at, closed_at, last_edited_at } = issue
  const address = issueAddress(project, iid)
  const isEditable = mayEdit(seen, described)
  const state_event = stateEventOf(seen, described)
  const stateButton =
    state_event !== null &&
    postButton(state_event === 'close' ? t`Close` : t`Reopen`, { action: `${address}/state`, token, fields: { state_event } })
  const { count: tasks, completed_count } = countTasks(issue.description)
  return html`
    <header class="issue-head">
      <div class="heading">
        <h1><bdi>${title}</bdi> <span class="hint">#${iid}</span></h1>
        <div class="actions">
          ${isEditable && html`<a class="button" href="${address}/edit" data-key="e">${icon('edit')} Edit</a>`}
          ${stateButton}${user && html`<a class="button" href="#new-body" data-key="c">${icon('comment')} Comment</a>`}
          ${
            user &&
            !project.archived &&
            html`<a class="button" href="${issuesAddress(project)}/new" data-key="i">${icon('plus')} New issue</a>`
          }
        </div>
      </div>
      <p class="facts">
        ${stateTag(issue)}
        ${confidential && html`<span class="tag" title="${sentences.confidential}">${icon('lock')} confidential</span>`}
        ${discussion_locked === true && html`<span class="tag" title="${sentences.locked}">${icon('lock')} discussion locked</span>`}
        <span>Opened ${ago(created_at)} by ${person(app, author)}</span>${
          closed_at !== null && html`<span>closed ${ago(closed_at)}${closed_by && html` by ${person(app, closed_by)}`}</span>`
        }${
          last_edited_at !== null && html`<span>edited ${ago(last_edited_at)}</span>`
        }${tasks > 0 && html`<span>${completed_count} of ${count(tasks, 'task')} done</span>`}
      </p>
    </header>
  `
}
