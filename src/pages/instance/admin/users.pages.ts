/** Users for administrators: the list, and the page of one with its actions. */

import { Type } from 'typebox'
import { requireUserNamed } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { invalid } from '../../../failure.ts'
import { turnOffSecondFactor } from '../../../features/people/second-factor/second-factor.ts'
import { impersonationError, startImpersonation } from '../../../features/people/sessions/sessions.ts'
import { allEmails, belongingsOf, confirmAccount, listUsers, type UserFilter } from '../../../features/people/users/users.ts'
import { deleteUser } from '../../../features/spaces/user-deletion/user-deletion.ts'
import { userAvatarUrl } from '../../../features/storage/avatars/avatars.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago, count, day } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { action, page, type Typed, type View } from '../../frame/declaration.ts'
import { type Choice, checkbox, dangerous, field, form, postButton, problemsOf, untouched } from '../../frame/forms.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { avatar, emptyState, isolated, navigation } from '../../frame/parts.ts'
import { assertProved, proofField } from '../../frame/proof.ts'
import type { InnerView } from '../../people/settings/settings-view.ts'
import { type AdminVisit, addressWith, administration, adminView, filtersOf } from './admin-view.ts'
import { sentences } from './sentences.ts'
import { approvalButtons, stateActions } from './user-states.view.ts'
import { tagsOf } from './user-tags.ts'

const perPage = 20

const filters = (): Record<string, readonly [label: string, Partial<UserFilter>]> => ({
  '': [t`All users`, {}],
  active: [t`Active`, { active: true, humans: true }],
  blocked_pending_approval: [t`Pending approval`, { blocked_pending_approval: true }],
  deactivated: [t`Deactivated`, { deactivated: true }],
  blocked: [t`Blocked`, { blocked: true }],
  banned: [t`Banned`, { banned: true }],
  admins: [t`Administrators`, { admins: true }],
  external: [t`External`, { external: true }],
  two_factor_enabled: [t`With second factor`, { two_factor: 'enabled', humans: true }],
  two_factor_disabled: [t`Without second factor`, { two_factor: 'disabled', humans: true }],
  wop: [t`Without projects`, { without_projects: true, humans: true }],
})

const orders = (): Record<string, readonly [label: string, Pick<UserFilter, 'order_by' | 'sort'>]> => ({
  name_asc: [t`Name`, { order_by: 'name', sort: 'asc' }],
  created_desc: [t`Newest`, { order_by: 'created_at', sort: 'desc' }],
  created_asc: [t`Oldest`, { order_by: 'created_at', sort: 'asc' }],
  updated_desc: [t`Last changed`, { order_by: 'updated_at', sort: 'desc' }],
})

const choicesOf = (lists: Record<string, readonly [string, unknown]>): Choice[] =>
  Object.entries(lists).map(([key, [label]]) => [key, label] as const)

/** The user in the URL of an admin page. */
export const namedUser = nested({ username: Type.String() }, async (_: AdminVisitor, { username }, app) => ({
  owner: await requireUserNamed(app.db, username),
}))

type AdminVisitor = { user: User }

const text = Type.String({ default: '' })

export const userPages = [
  page('GET /admin/users', {
    access: administration(),
    query: { ...pageNumber, search: text, filter: text, sort: text },
    show: ({ app, user, sent, token }) => listView(app, user, sent, token),
  }),
  page('GET /admin/users/:username', {
    access: within(administration(), namedUser),
    show: (visit) => userView(visit, untouched),
  }),
  action('POST /admin/users/:username/disable_two_factor', {
    access: within(administration(), namedUser),
    form: { proof: text },
    async act({ owner, sent, ...visit }) {
      if (owner.id === visit.user.id) throw invalid(t`Turn off your own second factor in your settings.`)
      await assertProved(visit, sent.proof)
      await turnOffSecondFactor(visit.app, owner.id)
      return { redirect: adminAddressOf(owner), notice: sentences.secondFactorRemoved }
    },
    again: userView,
  }),
  action('POST /admin/users/:username/confirm', {
    access: within(administration(), namedUser),
    async act({ app, owner }) {
      await confirmAccount(app, owner.id)
      return { redirect: adminAddressOf(owner), notice: sentences.userConfirmed }
    },
  }),
  action('POST /admin/users/:username/impersonate', {
    access: within(administration(), namedUser),
    form: { proof: text },
    async act({ owner, sent, ...visit }) {
      const { app, user, session_digest } = visit
      await assertProved(visit, sent.proof)
      const session = await startImpersonation(app, user, owner, session_digest ?? '')
      return { session, redirect: '/', notice: sentences.impersonationStarted }
    },
  }),
  action('POST /admin/users/:username/delete', {
    access: within(administration(), namedUser),
    form: { confirm: text, hard_delete: Type.Boolean({ default: false }) },
    async act({ app, owner, sent: { confirm, hard_delete } }) {
      if (confirm.trim() !== owner.username) throw invalid({ confirm: [sentences.wrongUsername] })
      await deleteUser(app, owner.id, { hard_delete })
      return { redirect: '/admin/users', notice: sentences.userDeleted }
    },
    again: userView,
  }),
]

export function adminAddressOf({ username }: Pick<User, 'username'>): string {
  return `/admin/users/${encodeURIComponent(username)}`
}

interface Listing {
  page: number
  search: string
  filter: string
  sort: string
}

async function listView(app: App, user: User, sent: Listing, token: Html): Promise<View> {
  const [filter, sort] = [sent.filter in filters() ? sent.filter : '', sent.sort in orders() ? sent.sort : 'name_asc']
  const chosen = { ...(filters()[filter]?.[1] ?? {}), ...(orders()[sort]?.[1] ?? { order_by: 'name', sort: 'asc' }) } as UserFilter
  const { rows, total } = await listUsers(
    app.db,
    user,
    { ...chosen, search: sent.search },
    pageFrom({ page: sent.page, per_page: perPage }),
  )
  const address = addressWith('/admin/users', { search: sent.search, filter, sort: sort === 'name_asc' ? '' : sort })
  return adminView('users', {
    title: t`Users`,
    main: html`
      <div class="heading">
        <h1>Users</h1>
        <a class="button primary" href="/admin/users/new">New user</a>
      </div>
      ${filtersOf({
        address: '/admin/users',
        search: sent.search,
        lists: { filter: [t`Which users`, choicesOf(filters()), filter], sort: [t`Order`, choicesOf(orders()), sort] },
      })}
      ${total === 0 ? emptyState(sentences.nobody) : html`<ul class="rows">${rows.map((row) => rowOf(app, row, token))}</ul>`}
      ${pagesBelow(address, { page: sent.page, per_page: perPage, total })}
    `,
  })
}

function rowOf(app: App, user: User, token: Html): Html {
  return html`
    <li>
      ${avatar(userAvatarUrl(app.config, user))}
      <div class="what">
        <a href="${adminAddressOf(user)}">${isolated(user.name)}</a> @${user.username} ${tagsOf(user)}
        <p>${isolated(user.email)}</p>
      </div>
      <div class="facts">
        <span>since ${ago(user.created_at)}</span>
        <span>${user.last_activity_on === null ? t`never seen` : html`seen on ${day(user.last_activity_on)}`}</span>
        ${user.state === 'blocked_pending_approval' && approvalButtons(user, adminAddressOf(user), token)}
      </div>
    </li>
  `
}

/** The frame of all pages about one user. */
export function ofUser(owner: User, tab: 'overview' | 'edit' | 'keys' | 'tokens', { title, main, ...rest }: InnerView): View {
  const address = adminAddressOf(owner)
  const links = [
    ['overview', t`Account`, address],
    ['edit', t`Edit`, `${address}/edit`],
    ['keys', t`Keys`, `${address}/keys`],
    ['tokens', t`Tokens`, `${address}/impersonation_tokens`],
  ].map(([key = '', label = '', href = '']) => ({ label, href, isCurrent: key === tab }))
  return adminView('users', {
    ...rest,
    title: title === '' ? owner.username : `${title} · ${owner.username}`,
    main: html`
      <h1>${isolated(owner.name)} <span class="hint">@${owner.username}</span></h1>
      ${navigation(t`This user`, links, 'tabs second')}${main}
    `,
  })
}

async function userView(visit: AdminVisit & { owner: User }, typed: Typed): Promise<View> {
  const { app, owner } = visit
  const belongings = (await belongingsOf(app.db, [owner])).get(owner.id)
  const emails = await allEmails(app.db, owner.id, perPage)
  const facts: Array<readonly [string, Html | string]> = [
    [t`Primary email`, owner.email],
    [
      t`Other emails`,
      emails
        .filter(({ is_primary }) => !is_primary)
        .map(({ email }) => email)
        .join(', ') || t`none`,
    ],
    [t`Waits for confirmation`, owner.unconfirmed_email ?? (owner.confirmed_at === null ? owner.email : t`none`)],
    [t`Identities`, belongings?.identities.map(({ provider, extern_uid }) => `${provider}: ${extern_uid}`).join(', ') || t`none`],
    [t`Second factor`, owner.two_factor_enabled ? t`on` : t`off`],
    [t`Personal projects`, t`${belongings?.project_count ?? 0} of at most ${count(owner.projects_limit, 'project')}`],
    [t`May create groups`, owner.can_create_group ? t`yes` : t`no`],
    [t`Since`, ago(owner.created_at)],
    [t`Last sign-in`, owner.current_sign_in_at === null ? t`never` : ago(owner.current_sign_in_at)],
    [t`Last activity`, owner.last_activity_on === null ? t`never` : day(owner.last_activity_on)],
    [t`Id`, `${owner.id}`],
  ]
  return ofUser(owner, 'overview', {
    title: '',
    main: html`
      <p>${tagsOf(owner)} <a href="/${owner.username}">Profile</a></p>
      ${problemsOf(typed.errors, ['confirm', 'proof'])}
      <dl class="facts">
        ${facts.map(
          ([label, value]) => html`
            <dt>${label}</dt><dd>${typeof value === 'string' ? isolated(value) : value}</dd>
          `,
        )}
      </dl>
      ${owner.kind === 'human' && actionsFor(visit, typed)}
    `,
  })
}

/** One button, or a form where an administrator has to be asked who they are. */
function impersonationForm(visit: AdminVisit, action: string): Html {
  const { token } = visit
  const proof = proofField(visit, untouched, { id: 'impersonate-' })
  if (proof === null) return html`<div>${postButton(t`Impersonate`, { action, token })}</div>`
  return form({ action, token, submit: t`Impersonate`, kind: 'plain' }, proof)
}

function actionsFor({ owner, ...visit }: AdminVisit & { owner: User }, typed: Typed): Html {
  const { user, token } = visit
  const address = adminAddressOf(owner)
  const withoutFactor = html`
    <p>${sentences.secondFactorRemoval}</p>
    ${form({ action: `${address}/disable_two_factor`, token, submit: t`Turn off`, kind: 'danger' }, html`${proofField(visit, typed)}`)}
  `
  const deletion = html`
    <p>${sentences.deletion}</p>
    ${form(
      { action: `${address}/delete`, token, submit: t`Delete user`, kind: 'danger' },
      html`
        ${checkbox(t`Delete contributions, too`, 'hard_delete', typed, { value: 'false', hint: sentences.hardDeletion })}
        <p>Type <b>${isolated(owner.username)}</b> to confirm.</p>
        ${field(t`Username`, 'confirm', typed, { required: true, autocomplete: 'off' })}
      `,
    )}
  `
  return html`
    <h2>Actions</h2>
    ${
      (owner.confirmed_at === null || owner.unconfirmed_email !== null) &&
      html`
        <p>${sentences.confirming}</p>
        <div>${postButton(t`Confirm address`, { action: `${address}/confirm`, token })}</div>
      `
    }
    ${
      impersonationError(user, owner) === null &&
      html`
        <p>${sentences.impersonation}</p>
        ${impersonationForm(visit, `${address}/impersonate`)}
      `
    }
    ${owner.two_factor_enabled && owner.id !== user.id && dangerous(t`Turn off the second factor`, withoutFactor, 'proof' in typed.values)}
    ${owner.id !== user.id && stateActions(owner, address, token)}${dangerous(t`Delete`, deletion, 'confirm' in typed.values)}
  `
}
