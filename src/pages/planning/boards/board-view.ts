/** A board: its columns side by side, each with its issues as cards. */

import { may } from '../../../access/permissions.ts'
import { placeAddress } from '../../../addresses/places.ts'
import { boardAddress } from '../../../addresses/planning.ts'
import type { Board } from '../../../db/tables.ts'
import { versionOf } from '../../../features/instance/watching/watching.ts'
import { columnsOfBoard, listBoards, type ShownColumn } from '../../../features/planning/boards/boards.ts'
import { describeIssues } from '../../../features/planning/issues/issues.ts'
import { labelPlace, listLabels } from '../../../features/planning/labels/labels.ts'
import { type Html, html } from '../../../html/html.ts'
import { number } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { columnsOf, type Place } from '../../../http/declare/places.ts'
import type { Typed, View } from '../../frame/declaration.ts'
import { type Choice, checkbox, dangerous, field, form, optionsOf, postButton, problemsOf, untouched } from '../../frame/forms.ts'
import { liveUpdates } from '../../frame/live.ts'
import { emptyState, icon, isolated, navigation } from '../../frame/parts.ts'
import { dot } from '../../project/labels.ts'
import { mayPlanIn } from '../places/places.ts'
import { cardOf } from './card.ts'
import { impliedColumns } from './columns.ts'
import type { Seen } from './seen.ts'
import { sentences } from './sentences.ts'

/** Cards per column; the list of issues has the rest. */
const maxCards = 20
const maxBoards = 50
const maxLabels = 500

export function noBoardView({ place, token }: Seen, typed: Typed = untouched): Omit<View, 'above'> {
  return {
    title: t`Boards`,
    main: html`<h1>Boards</h1>${emptyState(sentences.none)}${mayPlanIn(place, 'manage_boards') && newBoardForm(place, token, typed)}`,
  }
}

function newBoardForm(place: Place, token: Html, typed: Typed): Html {
  const content = html`
    ${problemsOf(typed.errors, ['name'])}${field(t`Name`, 'name', typed, { value: 'Development', required: true, id: 'new-' })}
  `
  return form({ action: placeAddress(place, 'boards'), token, submit: t`Create board` }, content)
}

interface Shown {
  search?: string
  /** The form of its settings, if it was rejected. */
  settings?: Typed
  /** Any other rejected form, such as a move. */
  refused?: Typed
}

export async function boardView(seen: Seen & { board: Board }, shown: Shown = {}): Promise<Omit<View, 'above'>> {
  const { search = '', settings = untouched, refused = untouched } = shown
  const { app, place, user, board } = seen
  // Read before the columns: what changes meanwhile is shown a second time, not missed.
  const version = await versionOf(app, 'board', board.id)
  const columns = await columnsOfBoard(app, user, place, board, { search }, maxCards)
  const [described, boards] = await Promise.all([
    describeIssues(
      app.db,
      user,
      columns.flatMap(({ rows }) => rows),
    ),
    listBoards(app.db, columnsOf(place), { limit: maxBoards, offset: 0 }),
  ])
  const live = liveUpdates('board', board.id, version ?? '', 'tell')
  const byId = new Map(described.map((one) => [one.issue.id, one]))
  const choices = columns.map((column): Choice => [String(column.name), nameOf(column)])
  const address = boardAddress(place, board)
  const links = boards.rows.map((one) => ({ label: one.name, href: boardAddress(place, one), isCurrent: one.id === board.id }))
  return {
    title: t`${board.name} · Boards`,
    scripts: ['boards.js'],
    isWide: true,
    main: html`
      <div class="heading">
        <h1>${isolated(board.name)}</h1>
        <form class="filters end" role="search" action="${address}">
          <label class="unseen" for="search">Find issues on the board</label>
          <input id="search" name="search" type="search" value="${search}" placeholder="Find issues"><button>Find</button>
        </form>
        ${mayPlanIn(place, 'manage_boards') && (await settingsOf(seen, columns, settings))}
      </div>
      ${links.length > 1 && navigation(t`Boards`, links, 'tabs second')}${problemsOf(refused.errors, [])}
      ${columns.every(({ list }) => list === null) && mayPlanIn(place, 'manage_boards') && html`<p class="hint">${sentences.noLists}</p>`}
      <issue-board>${live}<div class="board" role="group" aria-label="Columns" tabindex="0">
          ${columns.map((column, at) =>
            columnOf(seen, column, {
              at,
              lists: columns.filter(({ list }) => list !== null).length,
              cards: column.rows.map((row, index) => {
                const one = byId.get(row.id)
                const [before, after] = [column.rows[index - 1]?.id, column.rows[index + 1]?.id]
                return one ? cardOf(seen, one, { address, column: String(column.name), choices, before, after }) : null
              }),
            }),
          )}
        </div></issue-board>
    `,
  }
}

function nameOf({ name, list }: ShownColumn): string {
  return list ? list.label.title : impliedColumns[name as keyof typeof impliedColumns]
}

interface Cards {
  at: number
  /** How many lists the board has. */
  lists: number
  cards: Array<Html | null>
}

function columnOf(seen: Seen & { board: Board }, column: ShownColumn, { lists, cards }: Cards): Html {
  const { place, token, board } = seen
  const { list, name, total } = column
  const issues = placeAddress(place, 'issues')
  const rest = new URLSearchParams({ ...(list && { 'label_name[]': list.label.title }), ...(name === 'closed' && { state: 'closed' }) })
  const title = nameOf(column)
  const at = list && `${boardAddress(place, board)}/lists/${list.id}`
  const move = (label: string, position: number) =>
    postButton(label, { action: `${at}/move`, token, fields: { position: String(position) } })
  const menu =
    list &&
    mayPlanIn(place, 'manage_boards') &&
    html`
      <details class="menu">
        <summary>${icon('more')}<span class="unseen">Change list ${title}</span></summary>
        <ul>
          ${list.position > 0 && html`<li>${move(t`Move left`, list.position - 1)}</li>`}
          ${list.position < lists - 1 && html`<li>${move(t`Move right`, list.position + 1)}</li>`}
          ${
            may('delete_board_lists', place.level) &&
            html`<li>${postButton(t`Remove list`, { action: `${at}/remove`, token, kind: 'danger' })}</li>`
          }
        </ul>
      </details>
    `
  return html`
    <section class="column" aria-labelledby="column-${name}">
      <header>
        <h2 id="column-${name}">
          ${list && html`${dot(list.label.color)} `}${isolated(title)} <span class="hint">${number(total)}</span>
        </h2>
        <div class="actions">${newIssueIn(seen, column)}${menu}</div>
      </header>
      <ol data-column="${name}">${cards}</ol>
      ${total === 0 && html`<p class="hint">${sentences.empty}</p>`}
      ${total > maxCards && html`<p><a href="${`${issues}?${rest}`}">All ${number(total)}</a></p>`}
    </section>
  `
}

/** A new issue in a column has its label by a quick action, which is seen and can be taken out. */
function newIssueIn({ place, user }: Seen, column: ShownColumn): Html | null {
  if (place.kind !== 'project' || user === null || place.row.archived || column.name === 'closed') return null
  const label = column.list?.label.title ?? null
  const query = label === null ? '' : `?${new URLSearchParams({ 'issue[description]': `/label ~"${label}"` })}`
  return html`
    <a href="${placeAddress(place, 'issues')}/new${query}" title="New issue in ${nameOf(column)}">
      ${icon('plus')}<span class="unseen">New issue in ${nameOf(column)}</span>
    </a>
  `
}

async function settingsOf({ app, place, token, board }: Seen & { board: Board }, columns: ShownColumn[], typed: Typed): Promise<Html> {
  const address = boardAddress(place, board)
  const { rows } = await listLabels(app.db, labelPlace(place), 'inherited', '', { limit: maxLabels, offset: 0 })
  const used = new Set(columns.flatMap(({ list }) => (list ? [list.label_id] : [])))
  const free = rows.filter(({ id }) => !used.has(id)).map(({ id, title }): Choice => [String(id), title])
  const add =
    free.length > 0
      ? html`
        <form class="inline" method="post" action="${address}/lists">${token}<select name="label_id" aria-label="Label">
            ${optionsOf(free, undefined)}
          </select><button>Add list</button></form>
      `
      : html`<p class="hint">${sentences.noLabels} <a href="${placeAddress(place, 'labels')}">Labels</a></p>`
  const content = html`
    ${problemsOf(typed.errors, ['name'])}${field(t`Name`, 'name', typed, { value: board.name, required: true })}
    ${checkbox(t`Hide the column Open`, 'hide_backlog_list', typed, {
      value: board.hide_backlog_list ? 'true' : 'false',
    })}
    ${checkbox(t`Hide the column Closed`, 'hide_closed_list', typed, { value: board.hide_closed_list ? 'true' : 'false' })}
  `
  return html`
    <div class="board-tools">
      ${add}
      <details class="menu"${typed !== untouched && html` open`}>
        <summary class="button">Board settings</summary>
        <div class="popup">
          ${form({ action: address, token, submit: t`Save` }, content)}${newBoardForm(place, token, untouched)}
          ${dangerous(
            t`Delete the board`,
            html`
              <p>${sentences.deletion}</p>
              ${postButton(t`Delete board`, { action: `${address}/remove`, token, kind: 'danger' })}
            `,
          )}
        </div>
      </details>
    </div>
  `
}
