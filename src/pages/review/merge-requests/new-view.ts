/** The page of a new merge request: the choice of its branches, their differences, and the form that describes it. */
import { canManageMergeRequests } from '../../../access/merge-requests.ts'
import { mayAllowCollaboration } from '../../../features/commands/merge-requests/merge-requests.ts'
import type { UserInBrief } from '../../../features/people/users/users.ts'
import { suggestedReviewers } from '../../../features/review/approval-rules/approval-rules.ts'
import { listMergeRequests } from '../../../features/review/merge-requests/merge-requests.ts'
import { commitsAhead } from '../../../git/history/history-page.ts'
import { mergeBase } from '../../../git/history/merge-base.ts'
import { titleOf } from '../../../git/objects/commit-title.ts'
import type { Commit } from '../../../git/objects/parse.ts'
import { objectInfo } from '../../../git/objects/read.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { type Html, html } from '../../../html/html.ts'
import { count } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import type { ProjectGranted, SignedIn } from '../../../http/declare/rules.ts'
import type { Typed, View, Visit } from '../../frame/declaration.ts'
import { form, hidden, optionsOf, problemsOf, textFieldScript } from '../../frame/forms.ts'
import { emptyState, icon } from '../../frame/parts.ts'
import { milestonesFor } from '../../planning/lists/names.ts'
import { projectView } from '../../project/project-view.ts'
import { commitRows, factsOf } from '../../repository/history/commits.ts'
import { diffScripts, diffView } from '../../repository/history/diff/diff-view.ts'
import { defaultOptions } from '../../repository/history/diff/options.ts'
import { recentNames } from '../../repository/refs/parts.ts'
import { fieldNames, mergeRequestFields } from './fields.ts'
import { branchTag, mergeRequestAddress, mergeRequestsAddress } from './parts.ts'
import { sentences } from './sentences.ts'
import { type Asked, readSides, type Sides } from './sides.ts'
import { readTemplates } from './templates.ts'

type Seen = Visit & ProjectGranted & SignedIn

export interface Wanted extends Partial<Asked> {
  title?: string
  description?: string
  template?: string
}

const maxCommits = 100

export async function newMergeRequestView(seen: Seen, wanted: Wanted, typed: Typed): Promise<View> {
  const { project, level, user } = seen
  const sides = await readSides(seen, { source_branch: '', target_branch: '', ...wanted })
  const main = async () => {
    if (!sides.source)
      return emptyState(sentences.noSourceProject, html`<a class="button" href="/${project.full_path}/forks/new">${icon('fork')} Fork</a>`)
    const isChosen = sides.source_oid !== null && sides.target_oid !== null && problemWith(sides) === null
    return isChosen ? describing(seen, sides, wanted, typed) : choosing(seen, sides)
  }
  return projectView(
    { project, level, user, tab: 'merge_requests', showsCode: false },
    {
      title: t`New merge request`,
      isWide: true,
      scripts: ['planning.js', textFieldScript, ...diffScripts],
      main: html`<h1>New merge request</h1>${await main()}`,
    },
  )
}

/** Why a merge request of these branches is impossible. */
function problemWith({ source, target, source_branch, target_branch, source_oid, target_oid }: Sides): string | null {
  if (source_branch === '') return null
  if (source_oid === null) return sentences.noSource
  if (target === null || target_oid === null) return sentences.noSuchTarget
  return source?.project.id === target.project.id && source_branch === target_branch ? sentences.sameBranch : null
}

/** By GET, so that the comparison has a URL. */
async function choosing({ app, project }: Seen, sides: Sides): Promise<Html> {
  const { sources, targets, source, target } = sides
  const problem = problemWith(sides)
  const namesOf = (side: Sides['source']) => (side ? recentNames(app.git.open(side.project.id), 'heads') : [])
  const [ofSource, ofTarget] = await Promise.all([namesOf(source), namesOf(target)])
  const projects = (label: string, name: string, choices: Sides['sources']) =>
    html`<div class="field"><label for="${name}">${label}</label><select id="${name}" name="merge_request[${name}]">${optionsOf(
      choices.map((access) => [String(access.project.id), access.project.full_path]),
      String(choices[0]?.project.id),
    )}</select></div>`
  const branch = (label: string, name: string, value: string, names: readonly string[]) =>
    html`
      <div class="field">
        <label for="${name}">${label}</label><input
          id="${name}"
          name="merge_request[${name}]"
          value="${value}"
          list="${name}-list"
          required
          autocomplete="off"
          ${name === 'source_branch' && html` autofocus`}
        >
        <datalist id="${name}-list">${names.map((one) => html`<option value="${one}"></option>`)}</datalist>
      </div>
    `
  return html`
    <p>${sentences.chooseHint}</p>
    ${problem !== null && html`<div class="problems" role="alert"><p>${problem}</p></div>`}
    <form class="form-page sides" action="${mergeRequestsAddress(project)}/new">
      <fieldset>
        <legend>From</legend>
        ${projects(t`Project with the changes`, 'source_project_id', sources)}
        ${branch(
          t`Branch with the changes`,
          'source_branch',
          sides.source_branch,
          ofSource.filter((name) => name !== source?.project.default_branch),
        )}
      </fieldset>
      <fieldset>
        <legend>Into</legend>
        ${projects(t`Target project`, 'target_project_id', targets)}
        ${branch(t`Target branch`, 'target_branch', sides.target_branch, ofTarget)}
      </fieldset>
      <p class="actions"><button class="primary">Compare and continue</button></p>
    </form>
  `
}

async function describing(seen: Seen, sides: Sides, wanted: Wanted, typed: Typed): Promise<Html> {
  const { app, user, project, token } = seen
  const { source, target, source_branch, target_branch } = sides
  if (!source || !target) return html``
  const existing = await openBetween(seen, sides)
  const compared = await compare(seen, sides)
  const repo = app.git.open(target.project.id)
  const [templates, milestones, mayCollaborate] = await Promise.all([
    readTemplates(repo, target.project.default_branch, wanted.template ?? ''),
    milestonesFor(app, target),
    mayAllowCollaboration(app, user, { project: source.project, branch: source_branch }, target.project),
  ])
  const chosen = {
    source_project_id: String(source.project.id),
    source_branch,
    target_project_id: String(target.project.id),
    target_branch,
  }
  const first = {
    title: wanted.title || titleFor(source_branch, compared.commits),
    description: wanted.description || textFor(templates.text, compared.commits),
  }
  return html`
    <p class="facts">
      <span>${branchTag(source_branch, {
        project: source.project,
        prefix: source.project.id === target.project.id ? '' : `${source.project.full_path}:`,
      })}
        <span class="hint">into</span>
        ${branchTag(target_branch, {
          project: target.project,
          prefix: source.project.id === target.project.id ? '' : `${target.project.full_path}:`,
        })}</span>
      <a href="${withSides(`${mergeRequestsAddress(project)}/new`, { ...chosen, source_branch: '' })}">Change branches</a>
    </p>
    ${
      existing !== null &&
      html`
        <p class="notice">
          ${sentences.existing(existing)}
          <a class="here" href="${mergeRequestAddress(target.project, existing)}">!${existing}</a>
        </p>
      `
    }
    ${compared.note}
    ${templateForm(`${mergeRequestsAddress(project)}/new`, chosen, templates.names, wanted.template ?? '')}
    <div class="form-page">
      ${problemsOf(typed.errors, fieldNames)}
      ${form(
        { action: mergeRequestsAddress(project), token, submit: t`Create the merge request` },
        html`
          ${hidden(chosen)}${mergeRequestFields(typed, {
            project: target.project,
            level: target.level,
            milestones,
            described: null,
            first,
            mayCollaborate,
            suggested: await ownersOf(seen, sides, compared),
          })}
        `,
      )}
    </div>
    ${compared.view}
  `
}

/** For users who may choose reviewers. */
async function ownersOf({ app, user }: Seen, { target, target_branch, source_oid }: Sides, { range }: Compared): Promise<UserInBrief[]> {
  if (!target || source_oid === null || range === null || !canManageMergeRequests(target)) return []
  const change = { ...range, head_oid: source_oid }
  return suggestedReviewers(app, user, { project: target.project, target_branch, change, except: [user.id] })
}

interface Compared {
  /** Newest first. */
  commits: Commit[]
  /** A warning for users who are about to create it. */
  note: Html | null
  view: Html | null
  /** The base of its changes; null if they aren't compared. */
  range: { repo: Repo; base_oid: string | null } | null
}

/** Commits that only the source has; empty if the target has commits that a fork doesn't know. */
async function compare({ app, user }: Seen, { source, target, source_oid, target_oid }: Sides): Promise<Compared> {
  if (!source || !target || source_oid === null || target_oid === null) return { commits: [], note: null, view: null, range: null }
  const repo = app.git.open(source.project.id)
  if ((await objectInfo(repo, target_oid)) === null)
    return { commits: [], note: html`<p class="hint">${sentences.comparedLater}</p>`, view: null, range: null }
  const { commits, more } = await commitsAhead(repo, target_oid, source_oid, maxCommits)
  if (commits.length === 0) return { commits, note: html`<p class="empty">${sentences.nothingAhead}</p>`, view: null, range: null }
  const facts = await factsOf(app, { project: source.project, user, repo }, commits)
  const base = await mergeBase(repo, [target_oid, source_oid])
  const { full_path } = source.project
  const diff = await diffView({
    range: { repo, from: base, to: source_oid },
    options: defaultOptions,
    // Files that don't fit on the page are loaded from this address.
    address: compareAddress(full_path, target_oid, source_oid),
    project: full_path,
  })
  return {
    commits,
    range: { repo, base_oid: base },
    note: base === null ? html`<p class="notice">${sentences.unrelated}</p>` : null,
    view: html`
      <h2>${count(commits.length, 'commit')}${more && t` or more`}</h2>
      ${commitRows(app, source.project, commits, facts)}
      ${more && html`<p class="hint">${sentences.firstCommits(maxCommits)}</p>`}
      <section aria-label="Changes">${diff}</section>
    `,
  }
}

function compareAddress(full_path: string, from: string, to: string): string {
  return `/${full_path}/compare/${from}...${to}`
}

/** The iid of an open merge request of these branches; null if there is none. */
async function openBetween({ app, user }: Seen, { source, target, source_branch, target_branch }: Sides): Promise<number | null> {
  if (!source || !target) return null
  const filter = { state: 'opened', source_project_id: source.project.id, source_branch, target_branch } as const
  const { rows } = await listMergeRequests(app.db, user, { project_id: target.project.id }, filter, { limit: 1, offset: 0 })
  return rows[0]?.iid ?? null
}

/** The title of a single commit; otherwise derived from the name of the branch. */
function titleFor(branch: string, commits: readonly Commit[]): string {
  const [only, another] = commits
  if (only && !another) return titleOf(only.message)
  const name = branch
    .slice(branch.lastIndexOf('/') + 1)
    .replaceAll(/[-_]+/g, ' ')
    .trim()
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** The template, or the rest of the message of a single commit; and a reference that closes the issue after which the branch is named. */
function textFor(template: string | null, commits: readonly Commit[]): string {
  const [only, another] = commits
  const body = only && !another ? only.message.slice((only.message.split('\n', 1)[0] ?? '').length).trim() : ''
  return template ?? body
}

function templateForm(address: string, chosen: Readonly<Record<string, string>>, names: readonly string[], current: string): Html | null {
  if (names.length === 0) return null
  const fields = Object.entries(chosen).map(([name, value]) => [`merge_request[${name}]`, value] as const)
  return html`
    <form class="filters" action="${address}">
      ${hidden(Object.fromEntries(fields))}<label for="template">Template of the description</label>
      <select id="template" name="template">
        ${optionsOf([['', t`Choose`], ...names.map((name) => [name, name] as const)], current)}
      </select>
      <button>Use</button>
    </form>
  `
}

function withSides(address: string, chosen: Readonly<Record<string, string>>): string {
  return `${address}?${new URLSearchParams(Object.entries(chosen).map(([name, value]) => [`merge_request[${name}]`, value]))}`
}
