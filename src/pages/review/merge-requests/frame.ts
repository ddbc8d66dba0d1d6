/** The frame of the pages of one merge request: its title and state, and its tabs. */

import { canUpdateMergeRequest } from '../../../access/merge-requests.ts'
import type { MergeRequestVersion } from '../../../db/tables.ts'
import { countTasks } from '../../../features/planning/issuables/issuables.ts'
import { type DescribedMergeRequest, readyTitle } from '../../../features/review/merge-requests/merge-requests.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago, count } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import type { View } from '../../frame/declaration.ts'
import { postButton } from '../../frame/forms.ts'
import { icon, navigation } from '../../frame/parts.ts'
import { person } from '../../project/people.ts'
import { projectView } from '../../project/project-view.ts'
import { branchTag, draftTag, mergeRequestAddress, stateTag } from './parts.ts'
import type { MergeRequestSeen } from './seen.ts'
import { sentences } from './sentences.ts'
import type { Source } from './source.ts'

/** Data for the frame: users are read with `describeMergeRequests`, the source with `readSource`. */
export interface Framed {
  described: DescribedMergeRequest
  source: Source
  /** The newest; null if there is none. */
  version: Pick<MergeRequestVersion, 'commits' | 'real_size'> | null
}

const tabs = () =>
  ({
    overview: [t`Overview`, ''],
    commits: [t`Commits`, '/commits'],
    pipelines: [t`Pipelines`, '/pipelines'],
    diffs: [t`Changes`, '/diffs'],
  }) as const

export type MergeRequestTab = keyof ReturnType<typeof tabs>

/** A page of a merge request, by its tab; a null `tab` for a page outside of all tabs. */
export function mergeRequestView(
  seen: MergeRequestSeen,
  framed: Framed,
  tab: MergeRequestTab | null,
  { title, main, ...rest }: Omit<View, 'above' | 'main'> & { main: Html },
): View {
  const { project, level, user, merge_request } = seen
  const name = `${merge_request.title} (!${merge_request.iid})`
  return projectView(
    { project, level, user, tab: 'merge_requests', showsCode: false },
    {
      ...rest,
      title: title === '' ? name : `${title} · ${name}`,
      // So that the tabs stay in place from one page to the next.
      isWide: true,
      main: html`
        <div class="issue request${tab !== 'overview' && ' wide'}">
          ${tab === 'overview' ? headOf(seen, framed) : lineOf(seen, framed)}${tabsOf(seen, framed, tab)}${main}
        </div>
      `,
    },
  )
}

function tabsOf({ project, merge_request }: MergeRequestSeen, { version }: Framed, current: MergeRequestTab | null): Html {
  const address = mergeRequestAddress(project, merge_request.iid)
  const counts: Partial<Record<MergeRequestTab, number | string | undefined>> = {
    overview: merge_request.user_notes_count || undefined,
    commits: version?.commits,
    diffs: version?.real_size,
  }
  const links = Object.entries(tabs()).map(([name, [label, page]]) => {
    const many = counts[name as MergeRequestTab]
    return { label: many === undefined ? label : `${label} ${many}`, href: `${address}${page}`, isCurrent: name === current }
  })
  return navigation(t`Merge request`, links, 'tabs second')
}

/** Whether the viewer may edit, close and reopen it. */
export function mayEdit({ project, level, user, merge_request }: MergeRequestSeen, { assignees }: DescribedMergeRequest): boolean {
  const ids = assignees.map(({ id }) => id)
  return user !== null && !project.archived && canUpdateMergeRequest({ level }, merge_request, ids, user)
}

/** The change of state that the viewer may make. Merged is final, and a closed merge request without its source can't be reopened. */
export function stateEventOf(seen: MergeRequestSeen, described: DescribedMergeRequest): 'close' | 'reopen' | null {
  const { state, source_project_id } = seen.merge_request
  if (!mayEdit(seen, described)) return null
  if (state === 'opened') return 'close'
  return state === 'closed' && source_project_id !== null ? 'reopen' : null
}

function headOf(seen: MergeRequestSeen, { described, source }: Framed): Html {
  const { user, merge_request } = seen
  const { title, iid, draft, discussion_locked, description } = merge_request
  const { count: tasks, completed_count } = countTasks(description)
  return html`
    <header class="issue-head">
      <div class="heading">
        <h1><bdi>${draft ? readyTitle(title) : title}</bdi> <span class="hint">!${iid}</span></h1>
        <div class="actions">
          ${buttons(seen, described)}
          ${
            user &&
            html`
              <a class="button" href="${mergeRequestAddress(seen.project, iid)}#new-body" data-key="c">${icon('comment')}
                Comment</a>
            `
          }
        </div>
      </div>
      <p class="facts">
        ${stateTag(merge_request)}${draft && draftTag()}${
          discussion_locked === true && html`<span class="tag" title="${sentences.locked}">${icon('lock')} discussion locked</span>`
        }<span>${branches(seen, source)}</span>
      </p>
      <p class="facts">
        ${history(seen, described)}${tasks > 0 && html`<span>${completed_count} of ${count(tasks, 'task')} done</span>`}
      </p>
    </header>
  `
}

/** One line on all other pages, whose content begins as high as possible. */
function lineOf(seen: MergeRequestSeen, { source }: Framed): Html {
  const { merge_request } = seen
  const { title, iid, draft } = merge_request
  return html`
    <header class="request-line">
      <h1><bdi>${draft ? readyTitle(title) : title}</bdi> <span class="hint">!${iid}</span></h1>
      <p class="facts">${stateTag(merge_request)}${draft && draftTag()}<span>${branches(seen, source)}</span></p>
    </header>
  `
}

function branches({ project, merge_request }: MergeRequestSeen, { full_path, isFork, tip }: Source): Html {
  const { source_branch, target_branch } = merge_request
  const prefix = isFork ? `${full_path ?? sentences.hiddenFork}:` : ''
  const from = full_path !== null && tip !== null ? { full_path } : null
  return html`
    ${branchTag(source_branch, { project: from, prefix })} <span class="hint">into</span>
    ${branchTag(target_branch, { project })}
  `
}

function history({ app }: MergeRequestSeen, { merge_request, author, merged_by, closed_by }: DescribedMergeRequest): Html {
  const { created_at, merged_at, closed_at, state, last_edited_at } = merge_request
  return html`
    <span>Opened ${ago(created_at)} by ${person(app, author)}</span>${
      state === 'merged' &&
      merged_at !== null &&
      html`<span>merged ${ago(merged_at)}${merged_by && html` by ${person(app, merged_by)}`}</span>`
    }${
      state === 'closed' &&
      closed_at !== null &&
      html`<span>closed ${ago(closed_at)}${closed_by && html` by ${person(app, closed_by)}`}</span>`
    }${last_edited_at !== null && html`<span>edited ${ago(last_edited_at)}</span>`}
  `
}

function buttons(seen: MergeRequestSeen, described: DescribedMergeRequest): Html | null {
  const { project, merge_request, token } = seen
  if (!mayEdit(seen, described)) return null
  const address = mergeRequestAddress(project, merge_request.iid)
  const event = stateEventOf(seen, described)
  const isOpen = merge_request.state === 'opened'
  return html`
    <a class="button" href="${address}/edit" data-key="e">${icon('edit')} Edit</a>${
      isOpen &&
      postButton(merge_request.draft ? t`Mark as ready` : t`Mark as draft`, {
        action: `${address}/draft`,
        token,
        fields: { draft: String(!merge_request.draft) },
      })
    }${
      event !== null &&
      postButton(event === 'close' ? t`Close` : t`Reopen`, { action: `${address}/state`, token, fields: { state_event: event } })
    }
  `
}
