/** Emoji awarded to an issue or a comment, with buttons to award more. */

import type { User } from '../../../db/tables.ts'
import type { Award } from '../../../features/discussion/award-emoji/award-emoji.ts'
import { renderEmoji } from '../../../features/instance/emoji.ts'
import { Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { hidden } from '../../frame/forms.ts'
import { icon } from '../../frame/parts.ts'

/** Suggested; any other can be found or typed. */
const usual = ['thumbsup', 'thumbsdown', 'smile', 'tada', 'heart', 'eyes', 'rocket', 'confused']
/** Limit of names in the tooltip. */
const maxNames = 20

interface Shown {
  /** URL of the forms. */
  action: string
  token: Html
  /** Null for users who may not award any. */
  viewer: User | null
  /** Prefix of the ids of its fields. */
  id: string
  /** Hidden fields of the form. */
  fields?: Readonly<Record<string, string>>
}

/** Each emoji once, with how many have awarded it; one's own can be taken back by the same button. Null where there is none. */
export function reactions(awards: readonly Award[], { action, token, viewer, fields = {} }: Shown): Html | null {
  const byName = new Map<string, Award[]>()
  for (const award of awards) byName.set(award.name, [...(byName.get(award.name) ?? []), award])
  if (byName.size === 0) return null
  const given = [...byName].map(([name, own]) => {
    const people = own.slice(0, maxNames).map(({ user }) => user.name)
    const more = own.length > maxNames ? t` and ${own.length - maxNames} more` : ''
    const content = html`${emoji(name)} ${own.length}<span class="unseen"> by ${people.join(', ')}${more}</span>`
    if (viewer === null) return html`<span class="tag" title="${people.join(', ')}">${content}</span>`
    const isPressed = own.some(({ user_id }) => user_id === viewer.id)
    return html`<button name="name" value="${name}" aria-pressed="${String(isPressed)}" title="${`:${name}:`}">${content}</button>`
  })
  if (viewer === null) return html`<p class="reactions">${given}</p>`
  return html`<form class="reactions" method="post" action="${action}">${token}${hidden(fields)}${given}</form>`
}

/**
 * In the head of what is discussed: a menu to award any other. The field and its button stand first, as Enter in a field presses the first
 * button of its form.
 */
export function reactionMenu(awards: readonly Award[], { action, token, viewer, id, fields = {} }: Shown): Html | null {
  if (viewer === null) return null
  const given = new Set(awards.filter(({ user_id }) => user_id === viewer.id).map(({ name }) => name))
  const offered = usual
    .filter((name) => !given.has(name))
    .map(
      (name) => html`<button name="name" value="${name}" title="${`:${name}:`}">${emoji(name)}<span class="unseen">${name}</span></button>`,
    )
  return html`
    <details class="menu end react">
      <summary title="Add a reaction">${icon('smile')}<span class="unseen">Add a reaction</span></summary>
      <form class="popup" method="post" action="${action}">
        ${token}${hidden(fields)}
        <div class="find-emoji">
          <emoji-picker>
            <label class="unseen" for="${id}other">Find an emoji</label>
            <input id="${id}other" name="other" placeholder="Find an emoji" autocomplete="off" maxlength="100">
          </emoji-picker>
          <button>Add</button>
        </div>
        <div class="offered">${offered}</div>
      </form>
    </details>
  `
}

function emoji(name: string): Html {
  return new Html(renderEmoji(`:${name}:`))
}
