/** The head of all pages of a user: picture, name, status and facts, above their tabs. */

import { mayAct } from '../../../access/states.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { isFollowing } from '../../../features/people/follows/follows.ts'
import { presentUserProfile, stateOf, statusOf } from '../../../features/people/users/users.ts'
import { Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { t, translated } from '../../../html/sentences.ts'
import { isUrl } from '../../../text/parse-url.ts'
import { feedLink } from '../../feeds/feed-link.ts'
import type { View } from '../../frame/declaration.ts'
import { postButton } from '../../frame/forms.ts'
import { avatar, isolated, navigation } from '../../frame/parts.ts'
import { sentences } from '../settings/sentences.ts'

const tabs = translated({
  overview: ['Overview', (name: string) => `/${name}`],
  activity: ['Activity', (name: string) => `/users/${name}/activity`],
  projects: ['Projects', (name: string) => `/users/${name}/projects`],
  contributed: ['Contributed', (name: string) => `/users/${name}/contributed`],
  starred: ['Starred', (name: string) => `/users/${name}/starred`],
  groups: ['Groups', (name: string) => `/users/${name}/groups`],
  followers: ['Followers', (name: string) => `/users/${name}/followers`],
  following: ['Following', (name: string) => `/users/${name}/following`],
} as const)

export type ProfileTab = keyof typeof tabs

interface Shown {
  app: App
  owner: User
  user: User | null
  token: Html
  tab: ProfileTab
}

export async function profileView({ app, owner, user, token, tab }: Shown, main: Html): Promise<View> {
  const { username, name } = owner
  const links = Object.entries(tabs).map(([key, [label, address]]) => ({ label, href: address(username), isCurrent: key === tab }))
  return {
    title: tab === 'overview' ? `${name} (${username})` : `${tabs[tab][0]} · ${name} (${username})`,
    head: feedLink(t`Activity`, `/${username}.atom`, user),
    main: html`${await headOf({ app, owner, user, token })}${navigation(t`This user`, links)}${main}`,
  }
}

async function headOf({ app, owner, user, token }: Omit<Shown, 'tab'>): Promise<Html> {
  const { avatar_url, bio, location, work_information, pronouns, public_email, created_at, bot } = presentUserProfile(
    app.config,
    owner,
    user,
  )
  const isHidden = created_at === undefined && user?.admin !== true
  const state = stateOf(owner)
  const inactive =
    state !== 'active' && html`<span class="tag">${state === 'blocked_pending_approval' ? t`pending approval` : state}</span>`
  const links = [
    user?.id === owner.id && html`<a href="/profile">Edit profile</a>`,
    user && user.id !== owner.id && html`<a href="/users/${owner.username}/report">Report abuse</a>`,
    user?.admin === true && html`<a href="/admin/users/${encodeURIComponent(owner.username)}">Administer</a>`,
  ]
  const facts = [pronouns, work_information, location].flatMap((fact) => (fact ? [html`<span>${isolated(fact)}</span>`] : []))
  const mail = public_email ? [html`<a href="mailto:${public_email}">${isolated(public_email)}</a>`] : []
  const since = isHidden ? sentences.hiddenProfile : html`<span>Joined ${ago(owner.created_at)}</span>`
  return html`
    <div class="person">
      ${avatar(avatar_url ?? null, 80)}
      <div>
        <h1>
          ${isolated(owner.name)} <span class="hint">@${owner.username}</span>
          ${inactive}${bot === true && html`<span class="tag">bot</span>`}
        </h1>
        ${await statusLine(app, owner)}
        ${bio ? html`<p>${isolated(bio)}</p>` : null}
        <p class="hint">
          ${[...facts, ...mail, ...websitesOf(owner), html`<span>${since}</span>`, ...links.flatMap((link) => link || [])].map(
            (part, index) => html`${index > 0 && ' · '}${part}`,
          )}
        </p>
        ${user && (await followButton(app, user, owner, token))}
      </div>
    </div>
  `
}

/** For others than the user themselves, and of people alone. */
async function followButton({ db }: App, user: User, owner: User, token: Html): Promise<Html | null> {
  if (user.id === owner.id || user.kind !== 'human' || owner.kind !== 'human' || !mayAct(owner)) return null
  const isOn = await isFollowing(db, user.id, owner.id)
  const [label, act] = isOn ? [t`Unfollow`, 'unfollow'] : [t`Follow`, 'follow']
  return html`<p>${postButton(label, { action: `/users/${owner.username}/${act}`, token })}</p>`
}

async function statusLine({ db }: App, { id }: User): Promise<Html | null> {
  const status = await statusOf(db, id)
  if (!status) return null
  const { renderEmoji } = await import('../../../features/instance/emoji.ts')
  // Escapes whatever means something to HTML.
  const [sign, message] = [`:${status.emoji}:`, status.message].map((text) => new Html(renderEmoji(text)))
  return html`<p class="status">${sign ?? null} <bdi>${message ?? null}</bdi></p>`
}

/** Only URLs that a browser opens as a page become links. */
function websitesOf({ website_url }: User): Html[] {
  if (!/^https?:\/\//i.test(website_url) || !isUrl(website_url))
    return website_url === '' ? [] : [html`<span>${isolated(website_url)}</span>`]
  return [html`<a href="${website_url}" rel="nofollow noopener me">${isolated(website_url.replace(/^https?:\/\//i, ''))}</a>`]
}
