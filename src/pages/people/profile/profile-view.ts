/** The head of all pages of a user: picture, name, status and facts, above their tabs. */
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { presentUserProfile, stateOf, statusOf } from '../../../features/people/users/users.ts'
import { Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { isUrl } from '../../../text/parse-url.ts'
import { feedLink } from '../../feeds/feed-link.ts'
import type { View } from '../../frame/declaration.ts'
import { avatar, isolated, navigation } from '../../frame/parts.ts'
import { sentences } from '../settings/sentences.ts'

const tabs = {
  overview: ['Overview', (name: string) => `/${name}`],
  activity: ['Activity', (name: string) => `/users/${name}/activity`],
  projects: ['Projects', (name: string) => `/users/${name}/projects`],
  contributed: ['Contributed', (name: string) => `/users/${name}/contributed`],
  starred: ['Starred', (name: string) => `/users/${name}/starred`],
  groups: ['Groups', (name: string) => `/users/${name}/groups`],
} as const

export type ProfileTab = keyof typeof tabs

interface Shown {
  app: App
  owner: User
  user: User | null
  tab: ProfileTab
}

export async function profileView({ app, owner, user, tab }: Shown, main: Html): Promise<View> {
  const { username, name } = owner
  const links = Object.entries(tabs).map(([key, [label, address]]) => ({ label, href: address(username), isCurrent: key === tab }))
  return {
    title: tab === 'overview' ? `${name} (${username})` : `${tabs[tab][0]} · ${name} (${username})`,
    head: feedLink('Activity', `/${username}.atom`, user),
    main: html`${await headOf({ app, owner, user })}${navigation('This user', links)}${main}`,
  }
}

async function headOf({ app, owner, user }: Omit<Shown, 'tab'>): Promise<Html> {
  const { avatar_url, bio, location, work_information, pronouns, public_email, created_at, bot } = presentUserProfile(
    app.config,
    owner,
    user,
  )
  const isHidden = created_at === undefined && user?.admin !== true
  const blocked = stateOf(owner) === 'blocked' && html`<span class="tag">blocked</span>`
  const links = [
    user?.id === owner.id && html`<a href="/profile">Edit profile</a>`,
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
          ${blocked}${bot === true && html`<span class="tag">bot</span>`}
        </h1>
        ${await statusLine(app, owner)}
        ${bio ? html`<p>${isolated(bio)}</p>` : null}
        <p class="hint">
          ${[...facts, ...mail, ...websitesOf(owner), html`<span>${since}</span>`, ...links.flatMap((link) => link || [])].map(
            (part, index) => html`${index > 0 && ' · '}${part}`,
          )}
        </p>
      </div>
    </div>
  `
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
