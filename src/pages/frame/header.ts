/** The header and footer of every page: navigation, the menu to create things, and the menu of the user. */

import type { App } from '../../app.ts'
import type { User } from '../../db/tables.ts'
import { appearanceOf } from '../../features/storage/appearance/appearance.ts'
import { userAvatarUrl } from '../../features/storage/avatars/avatars.ts'
import { type Html, html } from '../../html/html.ts'
import { t } from '../../html/sentences.ts'
import { signInFrom } from './addresses.ts'
import { brandOf, messageBar } from './appearance.ts'
import { choices, type Theme } from './choices.ts'
import type { OwnCounts } from './counts.ts'
import type { SearchScope, View } from './declaration.ts'
import { avatar, icon, isolated } from './parts.ts'

interface Reader {
  app: App
  user: User | null
  /** Null if the page can have no forms, as on error pages. */
  token: Html | null
  /** Path and query of the page. */
  address: string
  /** Null if a script is to request them. */
  counts?: OwnCounts | null
  searchIn?: SearchScope | null
  creations?: NonNullable<View['creations']>
}

export function headerOf({ app, user, token, address, counts = null, searchIn = null, creations = [] }: Reader): Html {
  return html`
    <a class="skip" href="#main">Skip to content</a>
    ${messageBar(appearanceOf(app).header, t`Notice above the page`)}
    <header class="bar">
      ${brandOf(appearanceOf(app))}
      <nav aria-label="Service">${placesFor(user)}</nav>
      ${searchOf(searchIn)}
      ${
        user
          ? html`${newMenu(user, creations)}${ownPlaces(counts)}${userMenu(app, user, token, counts)}`
          : html`<a href="${signInFrom(address)}">Sign in</a>`
      }
    </header>
  `
}

function searchOf(searchIn: SearchScope | null): Html {
  const scope =
    searchIn &&
    html`
      <span class="scope">
        <input id="frame-scope" type="checkbox" name="${searchIn.parameter}" value="${searchIn.id}" checked>
        <label for="frame-scope">In ${isolated(searchIn.name)}</label>
      </span>
    `
  const address = searchIn ? `/search?${searchIn.parameter}=${searchIn.id}` : '/search'
  return html`
    <search class="end">
      <form class="find" action="/search">
        ${scope}<label class="unseen" for="frame-search">Search</label>
        <input id="frame-search" name="search" type="search" placeholder="Search">
      </form>
      <a class="find" href="${address}">${icon('search')}<span class="unseen">Search</span></a>
    </search>
  `
}

function placesFor(user: User | null): Html {
  return user
    ? html`<a href="/dashboard/projects">Projects</a><a href="/dashboard/groups">Groups</a>`
    : html`<a href="/explore/projects">Projects</a><a href="/explore/groups">Groups</a>`
}

function newMenu({ can_create_group, admin }: User, creations: NonNullable<View['creations']>): Html {
  const mayCreateGroups = can_create_group || admin
  return html`
    <details class="menu">
      <summary>${icon('plus')}<span class="unseen">New</span></summary>
      <ul>
        ${creations.map(([label, href]) => html`<li><a href="${href}">${label}</a></li>`)}
        <li><a href="/projects/new">New project</a></li>
        ${mayCreateGroups && html`<li><a href="/groups/new">New group</a></li>`}
      </ul>
    </details>
  `
}

/** The lists of the user's own open items: in the header if there is room, and always in the menu of the user. */
function ownPlaces(counts: OwnCounts | null): Html {
  const places = [
    ['issues', t`Issues`, 'issue'],
    ['merge_requests', t`Merge requests`, 'merge'],
    ['todos', t`To-do items`, 'check'],
  ] as const
  return html`
    <nav class="own-places" aria-label="Yours" data-counts="/dashboard/counts"${counts && html` data-known="${JSON.stringify(counts)}"`}>
      ${places.map(
        ([name, label, picture]) => html`
          <a href="/dashboard/${name}" data-count="${name}" title="${label}">
            ${icon(picture)}<span class="unseen">${label}</span>${numberOf(counts?.[name])}
          </a>
        `,
      )}
    </nav>
  `
}

function userMenu({ config }: App, user: User, token: Html | null, counts: OwnCounts | null): Html {
  const { username, name, admin } = user
  // The instance may be reached under a host name other than the configured one.
  const picture = userAvatarUrl(config, user).slice(config.url.length)
  return html`
    <details
      class="menu user"
      data-counts="/dashboard/counts"
      ${counts && html` data-known="${JSON.stringify(counts)}"`}
    >
      <summary data-count="todos">
        ${avatar(picture, 24)}<span class="unseen">${name}</span>${numberOf(counts?.todos)}
      </summary>
      <ul>
        <li class="who"><b>${isolated(name)}</b> <span class="hint">@${username}</span></li>
        <li><a href="/${username}">Profile</a></li>
        <li><a href="/dashboard/issues" data-count="issues">Issues${numberOf(counts?.issues)}</a></li>
        <li>
          <a href="/dashboard/merge_requests" data-count="merge_requests">Merge
            requests${numberOf(counts?.merge_requests)}</a>
        </li>
        <li><a href="/dashboard/todos" data-count="todos">To-do items${numberOf(counts?.todos)}</a></li>
        <li><a href="/profile">Settings</a></li>
        <li><a href="/explore/projects">Explore</a></li>
        ${admin && html`<li><a href="/admin">Administration</a></li>`}
        ${
          token &&
          html`
            <li>
              <form method="post" action="/users/sign_out" data-plain>${token}<button>Sign out</button></form>
            </li>
          `
        }
      </ul>
    </details>
  `
}

/** Must match the format of the script (web/lib/counts.ts). */
function numberOf(count: number | undefined): Html | null {
  return count ? html` <span class="count">${count > 999 ? '999+' : count}</span>` : null
}

export function footerOf({ token, address }: Pick<Reader, 'token' | 'address'>, theme: Theme): Html {
  return html`<footer><a href="/help">Help</a><a href="/api/docs">API</a>${token && choices(token, theme, address)}</footer>`
}
