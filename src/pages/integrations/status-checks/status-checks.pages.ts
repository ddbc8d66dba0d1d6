/** The status checks of a project: who is asked about merge requests, and whether all must pass. */

import { Type } from 'typebox'
import type { ProtectedBranch } from '../../../db/tables.ts'
import { removeHook } from '../../../features/integrations/hooks/hooks.ts'
import { changeCheck, checkOf, createCheck, urlOf } from '../../../features/integrations/status-checks/status-checks.ts'
import { branchRulesOf } from '../../../features/repository/protected-refs/protected-refs.ts'
import { checksOfProject, type StatusCheck } from '../../../features/review/status-checks/status-checks.ts'
import { changeProject } from '../../../features/spaces/projects/projects.ts'
import { type Html, html } from '../../../html/html.ts'
import { refusalInWords } from '../../../html/refusals.ts'
import { t } from '../../../html/sentences.ts'
import { type ProjectGranted, project, type SignedIn, unarchived } from '../../../http/declare/rules.ts'
import { action, type Page, page, type Typed, type View, type Visit } from '../../frame/declaration.ts'
import { type Choice, checkbox, dangerous, field, form, problemsOf, select, untouched } from '../../frame/forms.ts'
import { projectView } from '../../project/project-view.ts'
import { sentences } from './sentences.ts'

type ChecksVisit = Visit & ProjectGranted & SignedIn

const access = unarchived(project('manage_status_checks'))
const addressOf = ({ full_path }: { full_path: string }) => `/${full_path}/settings/status_checks`
const text = Type.String({ default: '' })
const fields = { name: text, external_url: text, shared_secret: text, branches: Type.String({ default: 'all' }) }
const names = ['name', 'external_url', 'shared_secret', 'branches']
/** The value of a check that the API gave several branches: the form leaves them as they are. */
const severalBranches = 'several'

interface Refused {
  /** The check whose form it is; null for a new one. */
  id: number | null
  typed: Typed
}

async function checksView(visit: ChecksVisit, refused: Refused | null = null): Promise<View> {
  const { app, project, level, user, token } = visit
  const branches = await branchRulesOf(app.db, project.id)
  const checks = await checksOfProject(app.db, project.id)
  const isRefused = refused !== null && refused.id === null
  const setting = checkbox(sentences.mustPass, 'must_pass', untouched, {
    value: project.only_allow_merge_if_all_status_checks_passed ? 'true' : 'false',
    hint: sentences.mustPassHint,
  })
  const rows = html`<ul class="rows">${checks.map((check) => checkRow(visit, check, branches, refused))}</ul>`
  return projectView(
    { project, level, user, tab: 'status-checks', showsCode: false },
    {
      title: t`Status checks`,
      main: html`
        <h1>Status checks</h1>
        <p class="hint">${sentences.what}</p>
        ${checks.length === 0 ? html`<p class="empty">${sentences.none}</p>` : rows}
        <details class="entry"${isRefused && html` open`}>
          <summary>Add a check</summary>
          ${form(
            { action: addressOf(project), token, submit: t`Add the check` },
            fieldsOf(visit, null, branches, isRefused ? refused.typed : untouched),
          )}
        </details>
        ${form({ action: `${addressOf(project)}/required`, token, submit: t`Save`, kind: 'plain' }, setting)}
      `,
    },
  )
}

function checkRow(visit: ChecksVisit, check: StatusCheck, branches: readonly ProtectedBranch[], refused: Refused | null): Html {
  const { app, project, token } = visit
  const own = refused?.id === check.id ? refused.typed : untouched
  const unseen = html`<span class="unseen"> <bdi>${check.name}</bdi></span>`
  const action = `${addressOf(project)}/${check.id}`
  const named = branches.filter(({ id }) => check.protected_branch_ids.includes(id)).map(({ name }) => name)
  const where = named.length === 0 ? t`all branches` : html`<bdi class="ref">${named.join(', ')}</bdi>`
  return html`
    <li>
      <div class="what">
        <bdi>${check.name}</bdi>
        <p><bdi class="ref">${urlOf(app, check)}</bdi> · ${where}${check.token !== null && t` · signed`}</p>
        ${check.last_error !== null && html`<p class="error">${refusalInWords(check.last_error)}</p>`}
      </div>
      <div class="facts">
        <details class="entry"${own !== untouched && html` open`}>
          <summary>Change${unseen}</summary>
          ${form({ action, token, submit: t`Save`, kind: 'plain' }, fieldsOf(visit, check, branches, own))}
        </details>
        ${dangerous(
          html`Remove${unseen}`,
          html`
            <p>${sentences.removal}</p>
            ${form({ action: `${action}/remove`, token, submit: t`Remove the check`, kind: 'danger' }, html``)}
          `,
        )}
      </div>
    </li>
  `
}

function fieldsOf({ app }: ChecksVisit, check: StatusCheck | null, branches: readonly ProtectedBranch[], typed: Typed): Html {
  const id = check === null ? 'check-' : `check-${check.id}-`
  const ids = check?.protected_branch_ids ?? []
  const choices: Choice[] = [
    ['all', t`All branches`],
    ...(ids.length > 1 ? [[severalBranches, t`As they are`] satisfies Choice] : []),
    ...branches.map((branch): Choice => [String(branch.id), branch.name]),
  ]
  return html`
    ${problemsOf(typed.errors, names)}
    ${field(t`Name`, 'name', typed, { id, value: check?.name ?? '', required: true, autocomplete: 'off' })}
    ${field('URL', 'external_url', typed, {
      id,
      type: 'url',
      value: check === null ? '' : urlOf(app, check),
      required: true,
      autocomplete: 'off',
      hint: sentences.url,
    })}
    ${field(t`Secret`, 'shared_secret', typed, {
      id,
      type: 'password',
      value: '',
      autocomplete: 'new-password',
      hint: check?.token ? sentences.secretKept : sentences.secret,
    })}
    ${select(t`Target branches`, 'branches', typed, choices, { id, value: ids.length > 1 ? severalBranches : String(ids[0] ?? 'all') })}
  `
}

/** An empty secret, and a URL that only lacks its password, are kept. */
function changeOf({ branches, shared_secret, ...sent }: Record<keyof typeof fields, string>) {
  return {
    ...sent,
    ...(shared_secret !== '' && { shared_secret }),
    ...(branches !== severalBranches && { protected_branch_ids: branches === 'all' ? [] : [Number(branches)] }),
  }
}

export const statusCheckPages: Page[] = [
  page('GET /:project/settings/status_checks', { access: project('manage_status_checks'), show: (visit) => checksView(visit) }),
  action('POST /:project/settings/status_checks', {
    access,
    form: fields,
    async act({ app, project, sent }) {
      const { name } = await createCheck(app, project, changeOf(sent))
      return { redirect: addressOf(project), notice: sentences.added(name ?? '') }
    },
    again: (visit, typed) => checksView(visit, { id: null, typed }),
  }),
  action('POST /:project/settings/status_checks/required', {
    access,
    form: { must_pass: Type.Boolean({ default: false }) },
    async act({ app, project, user, sent }) {
      await changeProject(app, project, { only_allow_merge_if_all_status_checks_passed: sent.must_pass }, user)
      return { redirect: addressOf(project), notice: sentences.saved }
    },
  }),
  action('POST /:project/settings/status_checks/:check', {
    access,
    form: fields,
    async act({ app, project, params, sent }) {
      const check = await checkOf(app, project.id, Number(params.check))
      const { external_url, ...change } = changeOf(sent)
      const isKept = external_url === urlOf(app, check)
      const { name } = await changeCheck(app, project.id, check, isKept ? change : { ...change, external_url })
      return { redirect: addressOf(project), notice: sentences.changed(name ?? '') }
    },
    again: (visit, typed) => checksView(visit, { id: Number(visit.params.check), typed }),
  }),
  action('POST /:project/settings/status_checks/:check/remove', {
    access,
    async act({ app, project, params }) {
      const check = await checkOf(app, project.id, Number(params.check))
      await removeHook(app, check)
      return { redirect: addressOf(project), notice: sentences.removed(check.name ?? '') }
    },
  }),
]
