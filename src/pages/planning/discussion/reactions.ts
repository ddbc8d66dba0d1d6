/** Emoji awarded to an issue or a comment, with buttons to award more. */
import type { User } from '../../../db/tables.ts'
import type { Award } from '../../../features/discussion/award-emoji/award-emoji.ts'
import { renderEmoji } from '../../../features/instance/emoji.ts'
import { Html, html } from '../../../html/html.ts'
import { hidden } from '../../frame/forms.ts'
import { icon } from '../../frame/parts.ts'

/** Suggested first; any other can be typed. */
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

/** Each emoji once, with its count; the same button revokes the viewer's own. */
export function reactions(awards: readonly Award[], { action, token, viewer, id, fields = {} }: Shown): Html | null {
  const byName = new Map<string, Award[]>()
  for (const award of awards) byName.set(award.name, [...(byName.get(award.name) ?? []), award])
  if (byName.size === 0 && viewer === null) return null
  const button = (name: string, content: Html, isPressed: boolean | null) =>
    html`
      <button
        name="name"
        value="${name}"
        ${isPressed !== null && html` aria-pressed="${String(isPressed)}"`}
        title="${`:${name}:`}"
      >
        ${content}
      </button>
    `
  const given = [...byName].map(([name, own]) => {
    const people = own.slice(0, maxNames).map(({ user }) => user.name)
    const more = own.length > maxNames ? ` and ${own.length - maxNames} more` : ''
    const content = html`${emoji(name)} ${own.length}<span class="unseen"> by ${people.join(', ')}${more}</span>`
    if (viewer === null) return html`<span class="tag" title="${people.join(', ')}">${content}</span>`
    return button(
      name,
      content,
      own.some(({ user_id }) => user_id === viewer.id),
    )
  })
  if (viewer === null) return html`<p class="reactions">${given}</p>`
  const offered = usual.filter((name) => !byName.has(name))
  return html`
    <form class="reactions" method="post" action="${action}">
      ${token}${hidden(fields)}${given}
      <details class="menu">
        <summary>${icon('smile')}<span class="unseen">Add a reaction</span></summary>
        <div class="offered">
          ${offered.map((name) => button(name, html`${emoji(name)}<span class="unseen">${name}</span>`, null))}
          <text-expander keys=":">
            <label class="unseen" for="${id}other">Name of another emoji</label>
            <input id="${id}other" name="other" placeholder=":name:" autocomplete="off" maxlength="100">
          </text-expander>
          <button>Add</button>
        </div>
      </details>
    </form>
  `
}

function emoji(name: string): Html {
  return new Html(renderEmoji(`:${name}:`))
}
