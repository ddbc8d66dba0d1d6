/** The page of a commit: its message, its details, its diff, and its discussions. */

import { canSeeMergeRequests } from '../../../access/merge-requests.ts'
import { may } from '../../../access/permissions.ts'
import { pipelineAddress } from '../../../addresses/ci.ts'
import { mergeRequestAddress } from '../../../addresses/merge-requests.ts'
import { addressAt, commitAddress } from '../../../addresses/repository.ts'
import type { App } from '../../../app.ts'
import { listStatuses } from '../../../features/ci/statuses/statuses.ts'
import { mergeRequestsOfCommit } from '../../../features/commands/changes/changes.ts'
import { visibleParticipants } from '../../../features/discussion/participation/participation.ts'
import { renderPlainTexts } from '../../../features/discussion/references/references.ts'
import { usersByAddress } from '../../../features/people/users/users.ts'
import { lastPipelineOf, signatureOf } from '../../../features/repository/commits/commits.ts'
import { titleOf } from '../../../git/objects/commit-title.ts'
import type { Commit } from '../../../git/objects/parse.ts'
import { readCommit } from '../../../git/objects/read.ts'
import { Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import type { Typed, View } from '../../frame/declaration.ts'
import { field, form, problemsOf, textFieldScript, untouched } from '../../frame/forms.ts'
import { copyable, emptyState, isolated } from '../../frame/parts.ts'
import { facesOf } from '../../planning/discussion/details.ts'
import { refusalToComment } from '../../planning/discussion/threads.ts'
import { stateIcon } from '../../project/merge-request-state.ts'
import { projectView } from '../../project/project-view.ts'
import { statusBadge } from '../../project/status-badge.ts'
import { personOf, shortId } from './commits.ts'
import { diffScripts, diffView, pathOf } from './diff/diff-view.ts'
import type { DiffOptions } from './diff/options.ts'
import { type CommitSeen, discussedOf, noteForm, readTalks, type Talk, talkHooks } from './notes.ts'
import { sentences } from './sentences.ts'

/** The forms of the page. */
export type CommitForm = 'note' | 'cherry_pick' | 'revert'

/** A rejected form, to be shown again. */
export interface Refused {
  form: CommitForm
  typed: Typed
}

/** Limit of parents shown: a commit can have any number. */
const maxParents = 100

const defaults: DiffOptions = { view: 'unified', w: '0', file: 1, only: false, row: 1, context: 3 }

export async function commitView(seen: CommitSeen, options: DiffOptions = defaults, refused: Refused | null = null): Promise<View> {
  const { project, level, user, repo, commit: oid } = seen
  const commit = await readCommit(repo, oid)
  const address = commitAddress(project, oid)
  const takesNotes = refusalToComment(discussedOf(seen)) === null
  const refusedNote = refused?.form === 'note' ? { discussion_id: refused.typed.values.discussion_id || null, typed: refused.typed } : null
  const [talks, above] = await Promise.all([readTalks(seen, refusedNote), headOf(seen, commit)])
  const left = new Set(talks)
  const range = { repo, from: commit.parents[0] ?? null, to: oid }
  const path = options.only ? await pathOf(range, options) : null
  const diff = await diffView({ range, options, address, project: project.full_path, hooks: talkHooks(talks, takesNotes, left) })
  const title = titleOf(commit.message) || shortId(oid)
  return projectView(
    { project, level, user, tab: 'commits' },
    {
      title: `${title} (${shortId(oid)})`,
      main: html`<h1>${isolated(title)}</h1>${above}${actionsOf(seen, refused)}${diff}${notesOf(seen, talks, left, { path, refused })}`,
      scripts: [...diffScripts, textFieldScript],
      isWide: true,
    },
  )
}

async function headOf(seen: CommitSeen, commit: Commit): Promise<Html> {
  const { app, project, user, repo } = seen
  const { oid, parents, author, committer, message } = commit
  const [accounts, signature, pipeline, requests, participants] = await Promise.all([
    usersByAddress(app.db, user, [author.email, committer.email]),
    signatureOf(app.db, repo, oid),
    lastPipelineOf(app.db, project.id, oid),
    mergeRequestsIn(seen),
    visibleParticipants(app.db, discussedOf(seen).noteable),
  ])
  const address = commitAddress(project, oid)
  const rest = message.slice((message.split(/[\r\n]/, 1)[0] ?? '').length).trim()
  const [message_html = ''] = await renderPlainTexts(app, seen, [rest])
  const isSame = author.name === committer.name && author.email === committer.email
  return html`
    <p class="hint">
      ${personOf(app, author, accounts)},
      ${ago(author.date)}${!isSame && html`, committed by ${personOf(app, committer, accounts)} ${ago(committer.date)}`}
    </p>
    ${rest !== '' && html`<pre class="message">${new Html(message_html)}</pre>`}
    <dl class="commit-facts">
      <div><dt>Commit</dt><dd>${copyable(t`Commit id`, oid)}</dd></div>
      <div>
        <dt>${parents.length === 1 ? t`Parent` : t`Parents`}</dt>
        <dd>
          ${
            parents.length === 0
              ? t`none`
              : html`
                ${parents
                  .slice(0, maxParents)
                  .map(
                    (parent) => html`<a href="${commitAddress(project, parent)}"><code>${shortId(parent)}</code></a> `,
                  )}${parents.length > maxParents && t`and ${parents.length - maxParents} more`}
              `
          }
        </dd>
      </div>
      ${
        signature &&
        html`
          <div>
            <dt>Signature</dt>
            <dd>
              <span class="tag">${signature.verification_status === 'verified' ? t`verified` : t`not verified`}</span>
              ${sentences.signature(signature.verification_status)}
            </dd>
          </div>
        `
      }
      ${
        pipeline &&
        html`
          <div>
            <dt>Status</dt>
            <dd>
              ${statusBadge(pipeline.status, pipelineAddress(project, pipeline.id))}
              ${await statusesOf(app, { project, user }, oid)}
            </dd>
          </div>
        `
      }
      ${requests}
      ${participants.length > 0 && html`<div><dt>Participants</dt><dd>${facesOf(app, participants)}</dd></div>`}
      <div>
        <dt>Contained in</dt><dd><a class="here" href="${address}/branches">Branches and tags</a></dd>
      </div>
      <div>
        <dt>View</dt>
        <dd>
          <a href="${addressAt(project.full_path, 'tree', oid)}">Files</a> · <a href="${address}.patch">Patch</a> ·
          <a href="${address}.diff">Plain diff</a>
        </dd>
      </div>
    </dl>
  `
}

/** Limit of merge requests shown, newest first. */
const maxMergeRequests = 10

/** The merge requests that contain it. Two statements. */
async function mergeRequestsIn({ app, project, level, user, commit }: CommitSeen): Promise<Html | null> {
  if (!canSeeMergeRequests({ project, level }, user)) return null
  const { rows, total } = await mergeRequestsOfCommit(app.db, project.id, commit, undefined, { limit: maxMergeRequests, offset: 0 })
  if (total === 0) return null
  const links = rows.map(
    (row) => html`<li>${stateIcon(row)} <a href="${mergeRequestAddress(project, row.iid)}">!${row.iid} ${isolated(row.title)}</a></li>`,
  )
  const more = total > rows.length && html`<li class="hint">${sentences.andMore(total - rows.length)}</li>`
  return html`<div><dt>${total === 1 ? t`Merge request` : t`Merge requests`}</dt><dd><ul class="statuses">${links}${more}</ul></dd></div>`
}

const maxStatuses = 100

/** The latest of each name; as in the API, for users only. */
async function statusesOf(app: App, { project, user }: Pick<CommitSeen, 'project' | 'user'>, oid: string): Promise<Html | null> {
  if (!user) return null
  const { rows } = await listStatuses(app.db, project.id, oid, { all: false }, { limit: maxStatuses, offset: 0 })
  return html`<ul class="statuses">${rows.map(
    ({ name, status, target_url, description }) =>
      html`<li>${statusBadge(status)} ${
        target_url === null ? isolated(name) : html`<a href="${target_url}" rel="nofollow noreferrer">${isolated(name)}</a>`
      } ${description !== null && isolated(description)}</li>`,
  )}</ul>`
}

/** For users who may push; whether they may push to the chosen branch is checked when they try. */
function actionsOf({ project, level, token, commit }: CommitSeen, refused: Refused | null): Html | null {
  if (!may('push_code', level) || project.archived || project.default_branch === null) return null
  const address = commitAddress(project, commit)
  const one = (name: 'cherry_pick' | 'revert', label: string, hint: string) => {
    const typed = refused?.form === name ? refused.typed : untouched
    return html`
      <details class="act"${refused?.form === name && html` open`}>
        <summary>${label}</summary>
        ${problemsOf(typed.errors, ['branch'])}
        ${form(
          { action: `${address}/${name}`, token, submit: label },
          field(t`Into the branch`, 'branch', typed, { value: project.default_branch ?? '', required: true, hint, id: `${name}-` }),
        )}
      </details>
    `
  }
  return html`
    <div class="acts">
      ${one('cherry_pick', t`Cherry-pick`, sentences.cherryPick)}${one('revert', t`Revert`, sentences.revert)}
    </div>
  `
}

/** Discussions of the whole commit, those on lines that this part of the diff doesn't contain, and the form. */
function notesOf(
  seen: CommitSeen,
  talks: readonly Talk[],
  left: ReadonlySet<Talk>,
  { path, refused }: { path: string | null; refused: Refused | null },
): Html {
  const isReply = Boolean(refused?.typed.values.discussion_id)
  const typed = refused?.form === 'note' && !isReply ? refused.typed : untouched
  const action = `${commitAddress(seen.project, seen.commit)}/notes`
  return html`
    <section class="notes" aria-labelledby="notes">
      <h2 id="notes">Discussion</h2>
      ${talks.filter((talk) => left.has(talk)).map(({ view }) => view)}
      ${talks.length === 0 && emptyState(sentences.noNotes)}
      <div id="note">${problemsOf(typed.errors, ['body', 'line'])}${noteForm(seen, { action, typed, path })}</div>
    </section>
  `
}
