/** Users on pages: avatar and name, as links. */
import type { App } from '../../app.ts'
import { presentUserBrief, type UserInBrief } from '../../features/people/users/users.ts'
import { type Html, html } from '../../html/html.ts'
import { avatar, isolated } from '../frame/parts.ts'

/** Avatar and name, as a link. */
export function person({ config }: App, user: UserInBrief, size = 20): Html {
  const { avatar_url } = presentUserBrief(config, user)
  return html`<a class="by" href="/${user.username}">${avatar(avatar_url, size)} ${isolated(user.name)}</a>`
}

/** Only the avatar, for lists. */
export function face({ config }: App, user: UserInBrief, words: string): Html {
  const { avatar_url } = presentUserBrief(config, user)
  return html`
    <a class="face" href="/${user.username}" title="${words} ${user.name}">
      ${avatar(avatar_url, 24)}<span class="unseen">${words} ${user.name}</span>
    </a>
  `
}
