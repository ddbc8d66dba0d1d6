/** The members of a project or group, the groups it is shared with, and access requests, as rows with their forms. */

import { accessLevels } from '../../access/levels.ts'
import type { App } from '../../app.ts'
import type { User } from '../../db/tables.ts'
import { presentUserBrief } from '../../features/people/users/users.ts'
import type { Requester } from '../../features/spaces/access-requests/access-requests.ts'
import type { SharedWith } from '../../features/spaces/group-shares/group-shares.ts'
import type { MemberOrder, SourcedMember } from '../../features/spaces/members/members.ts'
import { type Html, html } from '../../html/html.ts'
import { ago, day } from '../../html/phrases.ts'
import { t } from '../../html/sentences.ts'
import { manages, type Place } from '../../http/declare/places.ts'
import { field, form, optionsOf, postButton, select, untouched } from '../frame/forms.ts'
import { roleName } from '../frame/levels.ts'
import { avatar, emptyState, icon, isolated } from '../frame/parts.ts'
import { expiryHint, hiddenGroup, noMembers, noneFound, roleChoices } from './sentences.ts'

/** The URLs of the forms on a page. */
export interface MembersPage {
  app: App
  place: Place
  user: User
  /** `/group/project/project_members` */
  address: string
  token: Html
}

const memberOrderLabels = (): ReadonlyArray<readonly [MemberOrder, string]> => [
  ['name_asc', t`Name, A to Z`],
  ['name_desc', t`Name, Z to A`],
  ['access_level_desc', t`Highest role`],
  ['access_level_asc', t`Lowest role`],
  ['last_joined', t`Latest`],
  ['oldest_joined', t`Oldest`],
]

/** Filters and sorts; a form by GET. */
export function memberFilters(address: string, { search, sort }: { search: string; sort: MemberOrder }): Html {
  return html`
    <form class="filters" role="search" action="${address}">
      <label for="search">Find</label><input id="search" name="search" type="search" value="${search}">
      <label class="unseen" for="sort">Sort by</label>
      <select id="sort" name="sort">${optionsOf(memberOrderLabels(), sort)}</select><button>Show</button>
    </form>
  `
}

export function memberRows(page: MembersPage, members: readonly SourcedMember[], search: string): Html {
  if (members.length === 0) return emptyState(search === '' ? noMembers() : noneFound())
  return html`<ul class="rows people">${members.map((member) => memberRow(page, member))}</ul>`
}

function memberRow(page: MembersPage, member: SourcedMember): Html {
  const { app, user } = page
  const { name, username, avatar_url } = presentUserBrief(app.config, member)
  const { isDirect, access_level, effective_level, source_path, expires_at, created_at } = member
  const source = source_path === null ? hiddenGroup() : html`<a href="/groups/${source_path}">${isolated(source_path)}</a>`
  const more = effective_level > access_level && html` (${roleName(effective_level)} by a group)`
  return html`
    <li>
      ${avatar(avatar_url, 32)}
      <div class="what">
        <a href="/${username}">${isolated(name)}</a> <span class="hint">@${username}</span>
        ${member.user_id === user.id && html`<span class="tag">you</span>`}${kindTag(member)}
        <p>
          ${isDirect ? t`Direct member` : html`By ${source}`}, since
          ${ago(created_at)}${expires_at !== null && html`, until ${day(expires_at)}`}
        </p>
      </div>
      <div class="facts"><b>${roleName(access_level)}</b>${more}</div>
      ${isDirect && mayChange(page, member) && editForms(page, member)}
    </li>
  `
}

function kindTag({ kind }: SourcedMember): Html | null {
  if (kind === 'bot') return html`<span class="tag">bot</span>`
  return kind === 'service_account' ? html`<span class="tag">service account</span>` : null
}

/** The rule of the actions: not the owner of a personal project, and no bot user. */
function mayChange({ place, user }: MembersPage, { user_id, kind }: SourcedMember): boolean {
  const isOwner = place.kind === 'project' && user_id === place.row.namespace_owner_id
  return kind !== 'bot' && !isOwner && (manages(place) || user_id === user.id)
}

function editForms({ place, user, address, token }: MembersPage, { user_id, name, access_level, expires_at }: SourcedMember): Html {
  const isSelf = user_id === user.id
  const remove = postButton(isSelf ? t`Leave` : t`Remove`, { action: `${address}/${user_id}/remove`, token, kind: 'danger' })
  if (!manages(place)) return html`<div class="facts">${remove}</div>`
  const id = `member-${user_id}-`
  const change = html`
    ${select(t`Role`, 'access_level', untouched, roleChoices(place.kind), { value: String(access_level), id })}
    ${field(t`Until`, 'expires_at', untouched, { type: 'date', value: expires_at ?? '', id, hint: expiryHint() })}
  `
  return html`
    <details class="edit">
      <summary>${icon('edit')} Change<span class="unseen"> ${name}</span></summary>
      ${form({ action: `${address}/${user_id}`, token, submit: t`Save` }, change)}${remove}
    </details>
  `
}

export function accessRequestRows({ app, place, address, token }: MembersPage, requests: readonly Requester[]): Html {
  const choices = roleChoices(place.kind)
  return html`
    <ul class="rows people">
      ${requests.map((requester) => {
        const { id, name, username, avatar_url } = presentUserBrief(app.config, requester)
        return html`
          <li>
            ${avatar(avatar_url, 32)}
            <div class="what">
              <a href="/${username}">${isolated(name)}</a> <span class="hint">@${username}</span>
              <p>Requested ${ago(requester.requested_at)}</p>
            </div>
            <form class="inline filters" method="post" action="${address}/requests/${id}/approve">
              ${token}
              <select name="access_level" aria-label="Role of ${name}">
                ${optionsOf(choices, String(accessLevels.developer))}
              </select>
              <button class="primary">Approve</button>
            </form>
            ${postButton(t`Deny`, { action: `${address}/requests/${id}/deny`, token, kind: 'danger' })}
          </li>
        `
      })}
    </ul>
  `
}

export function shareRows({ place, address, token }: MembersPage, shares: readonly SharedWith[]): Html {
  return html`
    <ul class="rows people">
      ${shares.map(({ group_id, group_name, group_full_path, group_access_level, expires_at }) => {
        const id = `group-${group_id}-`
        const content = html`
          ${select(t`Highest role`, 'access_level', untouched, roleChoices(place.kind), {
            value: String(group_access_level),
            id,
          })}
          ${field(t`Until`, 'expires_at', untouched, { type: 'date', value: expires_at ?? '', id, hint: expiryHint() })}
        `
        const edit =
          manages(place) &&
          html`
            <details class="edit">
              <summary>${icon('edit')} Change<span class="unseen"> ${group_name}</span></summary>
              ${form({ action: `${address}/groups/${group_id}`, token, submit: t`Save` }, content)}
              ${postButton(t`Stop sharing`, { action: `${address}/groups/${group_id}/remove`, token, kind: 'danger' })}
            </details>
          `
        return html`
          <li>
            ${icon('group')}
            <div class="what">
              <a href="/groups/${group_full_path}">${isolated(group_name)}</a>
              <p>${isolated(group_full_path)}${expires_at !== null && html`, until ${day(expires_at)}`}</p>
            </div>
            <div class="facts"><b>${roleName(group_access_level)}</b> at most</div>
            ${edit}
          </li>
        `
      })}
    </ul>
  `
}
