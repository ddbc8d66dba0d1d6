/** The header of a group: avatar, name, description and actions. */

import { may } from '../../../access/permissions.ts'
import { groupAddress } from '../../../addresses/places.ts'
import type { App } from '../../../app.ts'
import { findRequester, mayRequestAccess } from '../../../features/spaces/access-requests/access-requests.ts'
import { mayCreateGroup } from '../../../features/spaces/groups/groups.ts'
import { findMember } from '../../../features/spaces/members/members.ts'
import { avatarUrl } from '../../../features/storage/avatars/avatars.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { callerOf } from '../../../http/caller/callers.ts'
import { dangerous, postButton } from '../../frame/forms.ts'
import { avatar, icon, isolated } from '../../frame/parts.ts'
import type { SeenGroup } from '../../group/group-view.ts'
import { descriptionOf } from '../description.ts'
import { archivedGroup, requestsWaiting, whatLeaving } from './sentences.ts'

type Visited = SeenGroup & { token: Html; ip: string }

export async function headerOf(app: App, seen: Visited): Promise<Html> {
  const { group, user, ip } = seen
  const [description, membership] = await Promise.all([descriptionOf(app, group.description, callerOf(user, ip)), membershipOf(app, seen)])
  return html`
    <div class="space">
      <h1>${avatar(avatarUrl(app.config, 'group', group), 32)} ${isolated(group.name)}</h1>
      <div class="actions">${creationOf(seen)}${membership}</div>
    </div>
    ${group.archived && html`<p class="notice quiet">${icon('lock')} ${archivedGroup()}</p>`}${description}
  `
}

/** Maintainers create projects, owners subgroups. */
function creationOf({ group, level, user }: Visited): Html | null {
  if (!user || group.archived) return null
  return html`${
    may('create_projects', level) && html`<a class="button primary" href="/projects/new?namespace_id=${group.id}">New project</a>`
  }${mayCreateGroup(user, { level }) && html`<a class="button" href="/groups/new?parent_id=${group.id}">New subgroup</a>`}`
}

/** Members can leave, others can request access if the group allows that: one statement. */
async function membershipOf(app: App, { group, level, user, token }: Visited): Promise<Html | null> {
  if (user?.kind !== 'human') return null
  const place = { namespace_id: group.id }
  const members = groupAddress(group.full_path, 'group_members')
  if (level > 0) {
    const isMember = (await findMember(app.db, place, user.id)) !== null
    const leave = postButton(t`Leave group`, { action: `${members}/${user.id}/remove`, token, kind: 'danger' })
    return isMember ? dangerous(t`Leave`, html`<p>${whatLeaving()}</p>${leave}`) : null
  }
  if (await findRequester(app.db, place, user.id)) {
    return html`
      <span>${requestsWaiting()}</span>
      ${postButton(t`Withdraw request`, { action: `${members}/requests/${user.id}/deny`, token })}
    `
  }
  const isOpen = mayRequestAccess({ kind: 'group', row: group, level }, user)
  return isOpen ? postButton(t`Request access`, { action: `${members}/request_access`, token }) : null
}
