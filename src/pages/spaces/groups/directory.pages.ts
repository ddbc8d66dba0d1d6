/** The links of a group to the directory: whoever a group or a filter of it names is a member. */

import { Type } from 'typebox'
import { memberLevels } from '../../../access/levels.ts'
import { groupAddress } from '../../../addresses/places.ts'
import type { LdapGroupLink } from '../../../db/tables.ts'
import { directoryName } from '../../../features/people/provider-sign-in/provider-sign-in.ts'
import { addLink, followSoon, listLinks, removeLinks } from '../../../features/spaces/directory-sync/directory-sync.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { administrators, group, only } from '../../../http/declare/rules.ts'
import { action, page, type Typed, type View } from '../../frame/declaration.ts'
import { dangerous, field, form, hidden, postButton, problemsOf, select, untouched } from '../../frame/forms.ts'
import { roleName } from '../../frame/levels.ts'
import { emptyState, isolated } from '../../frame/parts.ts'
import { groupView } from '../../group/group-view.ts'
import { directory as say } from './sentences.ts'
import type { Owned } from './settings.ts'

const owners = group('edit_group')
const cn = Type.String({ default: '', maxLength: 255 })
const filter = Type.String({ default: '', maxLength: 1_000 })
const group_access = Type.Integer({ enum: memberLevels, default: memberLevels[0] })

/** A group has at most as many. */
const all = { limit: 100, offset: 0 }

export const directoryPages = [
  page('GET /groups/:group/-/ldap_group_links', { access: owners, show: (visit) => linksView(visit) }),
  action('POST /groups/:group/-/ldap_group_links', {
    access: owners,
    form: { cn, group_access },
    async act({ app, group, sent }) {
      await addLink(app, group.id, { provider: directoryName, ...sent })
      return { redirect: linksAddress(group), notice: say.added }
    },
    again: (visit, typed) => linksView(visit, { cn: typed }),
  }),
  action('POST /groups/:group/-/ldap_group_links/filters', {
    // By what it finds, a filter tells of attributes that only the directory's own people should read.
    access: only(owners, administrators),
    form: { filter, group_access },
    async act({ app, group, sent }) {
      await addLink(app, group.id, { provider: directoryName, ...sent })
      return { redirect: linksAddress(group), notice: say.added }
    },
    again: (visit, typed) => linksView(visit, { filter: typed }),
  }),
  action('POST /groups/:group/-/ldap_group_links/delete', {
    access: owners,
    form: { provider: Type.String({ default: '' }), cn, filter },
    async act({ app, group, sent }) {
      await removeLinks(app, group.id, sent)
      return { redirect: linksAddress(group), notice: say.removed }
    },
  }),
  action('POST /groups/:group/-/ldap_group_links/sync', {
    access: owners,
    async act({ app, group }) {
      await followSoon(app)
      return { redirect: linksAddress(group), notice: say.syncing }
    },
  }),
]

function linksAddress({ full_path }: { full_path: string }): string {
  return groupAddress(full_path, 'ldap_group_links')
}

async function linksView(visit: Owned, typed: { cn?: Typed; filter?: Typed } = {}): Promise<View> {
  const { app, group, level, user, token } = visit
  const { rows, total } = await listLinks(app.db, group.id, all)
  const { ldap } = app.config.identity_providers
  const address = linksAddress(group)
  const main = html`
    <h1>Directory</h1>
    <p>${ldap === null ? say.noDirectory : say.what}</p>
    ${total === 0 ? emptyState(say.none) : html`<ul class="rows">${rows.map((row) => rowOf(row, address, token))}</ul>`}
    ${ldap !== null && total > 0 && postButton(t`Synchronize now`, { action: `${address}/sync`, token })}
    ${ldap !== null && (ldap.group_base === null ? html`<p class="hint">${say.noGroupBase}</p>` : byName(visit, typed.cn ?? untouched))}
    ${ldap !== null && user.admin && byFilter(visit, typed.filter ?? untouched)}
  `
  return groupView({ group, level, user, tab: 'directory' }, { title: t`Directory`, main })
}

function rowOf(
  { provider, cn: name, filter: condition, group_access: given, created_at }: LdapGroupLink,
  address: string,
  token: Html,
): Html {
  const removal = form(
    { action: `${address}/delete`, token, submit: t`Remove link`, kind: 'danger' },
    html`<p>${say.removal}</p>${hidden({ provider, cn: name, filter: condition })}`,
  )
  return html`
    <li>
      <div class="what">
        <b>${isolated(name || condition)}</b> <span class="hint">${roleName(given)}</span>
        <p>${name === '' ? say.aFilter : say.aGroup}, linked ${ago(created_at)}</p>
      </div>
      <div class="facts">${dangerous(html`Remove<span class="unseen"> ${isolated(name || condition)}</span>`, removal)}</div>
    </li>
  `
}

const levels = memberLevels.map((level) => [String(level), roleName(level)] as const)

function byName({ group, token }: Owned, typed: Typed): Html {
  return html`
    <h2>Link a group of the directory</h2>
    ${problemsOf(typed.errors, ['cn', 'group_access'])}
    ${form(
      { action: linksAddress(group), token, submit: t`Add link` },
      html`
        ${field(t`Common name`, 'cn', typed, { required: true, autocomplete: 'off', hint: say.nameHint })}
        ${select(t`Role`, 'group_access', typed, levels)}
      `,
    )}
  `
}

function byFilter({ group, token }: Owned, typed: Typed): Html {
  return html`
    <h2>Link a filter of people</h2>
    ${problemsOf(typed.errors, ['filter', 'group_access'])}
    ${form(
      { action: `${linksAddress(group)}/filters`, token, submit: t`Add filter` },
      html`
        ${field(t`Filter`, 'filter', typed, { required: true, autocomplete: 'off', hint: say.filterHint })}
        ${select(t`Role`, 'group_access', typed, levels, { id: 'filter-' })}
      `,
    )}
  `
}
