/** Broadcast messages: create, preview, edit, delete. */

import { Type } from 'typebox'
import type { BroadcastMessage } from '../../../db/tables.ts'
import {
  changeMessage,
  createMessage,
  deleteMessage,
  findMessage,
  isActive,
  listMessages,
} from '../../../features/instance/broadcast-messages/broadcast-messages.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { assertValid } from '../../../validation.ts'
import { messageBar } from '../../frame/banners.ts'
import { action, page, type Typed, type View } from '../../frame/declaration.ts'
import { field, postButton, problemsOf, textArea, untouched } from '../../frame/forms.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { emptyState, isolated } from '../../frame/parts.ts'
import { type AdminVisit, administration, adminView } from './admin-view.ts'
import { sentences } from './sentences.ts'

const text = Type.String({ default: '' })
const fields = { message: text, starts_at: text, ends_at: text, color: text, font: text, preview: text }
const address = '/admin/broadcast_messages'
const perPage = 20

const message = nested({ message_id: Id }, async (_: unknown, { message_id }, app) => ({ message: await findMessage(app.db, message_id) }))

export const messagePages = [
  page('GET /admin/broadcast_messages', {
    access: administration(),
    query: pageNumber,
    show: ({ sent, ...visit }) => messagesView(visit, untouched, sent.page),
  }),
  action('POST /admin/broadcast_messages', {
    access: administration(),
    form: fields,
    async act({ sent, ...visit }) {
      if (sent.preview !== '') return messagesView(visit, previewOf(sent))
      await createMessage(visit.app.db, { ...sentMessage(sent), message: sent.message })
      return { redirect: address, notice: sentences.messageSaved }
    },
    again: (visit, typed) => messagesView(visit, typed),
  }),
  page('GET /admin/broadcast_messages/:message_id/edit', {
    access: within(administration(), message),
    show: (visit) => editView(visit, untouched),
  }),
  action('POST /admin/broadcast_messages/:message_id/edit', {
    access: within(administration(), message),
    form: fields,
    async act({ sent, ...visit }) {
      if (sent.preview !== '') return editView(visit, previewOf(sent))
      await changeMessage(visit.app.db, visit.message.id, { ...sentMessage(sent), message: sent.message })
      return { redirect: address, notice: sentences.messageSaved }
    },
    again: editView,
  }),
  action('POST /admin/broadcast_messages/:message_id/delete', {
    access: within(administration(), message),
    async act({ app, message: { id } }) {
      await deleteMessage(app.db, id)
      return { redirect: address, notice: sentences.messageDeleted }
    },
  }),
]

type Sent = Record<keyof typeof fields, string>

const previewOf = (sent: Sent): Typed => ({ values: sent, errors: { all: [], of: {} } })

/** The value of a browser's date and time field, in UTC. */
const localTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?$/

/** Omits empty fields. Throws 400 for an invalid time, or an end before the beginning. */
function sentMessage({ starts_at, ends_at, color, font }: Sent) {
  const instantOf = (time: string) =>
    localTime.test(time) && !Number.isNaN(Date.parse(`${time}Z`)) ? new Date(`${time}Z`).toISOString() : null
  const [start, end] = [instantOf(starts_at), instantOf(ends_at)]
  assertValid({
    starts_at: starts_at !== '' && start === null ? t`is not a time` : null,
    ends_at:
      ends_at !== '' && end === null ? t`is not a time` : start !== null && end !== null && end < start ? t`is before the beginning` : null,
  })
  return {
    ...(start !== null && { starts_at: start }),
    ...(end !== null && { ends_at: end }),
    ...(color !== '' && { color }),
    ...(font !== '' && { font }),
  }
}

async function messagesView({ app, token }: AdminVisit, typed: Typed, number = 1): Promise<View> {
  const { rows, total } = await listMessages(app.db, pageFrom({ page: number, per_page: perPage }))
  return adminView('messages', {
    title: t`Messages`,
    main: html`
      <h1>Messages</h1>
      <p>${sentences.messagesAre}</p>
      ${await messageForm({ action: address, token, known: null }, typed)}
      <h2>All messages</h2>
      ${total === 0 ? emptyState(sentences.noMessages) : html`<ul class="rows">${rows.map((row) => rowOf(row, token))}</ul>`}
      ${pagesBelow(address, { page: number, per_page: perPage, total })}
    `,
  })
}

async function editView({ token, message: known }: AdminVisit & { message: BroadcastMessage }, typed: Typed): Promise<View> {
  return adminView('messages', {
    title: t`Edit message`,
    main: html`
      <h1>Edit message</h1>
      ${await messageForm({ action: `${address}/${known.id}/edit`, token, known }, typed)}
      <p><a href="${address}">All messages</a></p>
    `,
  })
}

async function messageForm(
  { action: to, token, known }: { action: string; token: Html; known: BroadcastMessage | null },
  typed: Typed,
): Promise<Html> {
  const shown = (typed.values.preview ?? '') !== ''
  const time = (instant: string | undefined) => (instant ?? '').slice(0, 16)
  const bar = { message: typed.values.message ?? '', color: typed.values.color ?? known?.color ?? null }
  return html`
    ${shown && html`<h2>Preview</h2>${await messageBar(bar, null)}`}${problemsOf(typed.errors, Object.keys(fields))}
    <form method="post" action="${to}">
      ${token}${textArea(t`Message`, 'message', typed, { value: known?.message ?? '', rows: 2, required: true })}
      <div class="pair">
        ${field(t`Begins`, 'starts_at', typed, { type: 'datetime-local', value: time(known?.starts_at), hint: sentences.messageStart })}
        ${field(t`Ends`, 'ends_at', typed, {
          type: 'datetime-local',
          value: time(known?.ends_at),
          hint: sentences.messageEnd,
        })}
        ${field(t`Color`, 'color', typed, { value: known?.color ?? '', placeholder: '#E75E40', hint: sentences.messageColor })}
      </div>
      <p class="actions">
        <button class="primary">${known ? t`Save message` : t`Add message`}</button>
        <button name="preview" value="true">Preview</button>
      </p>
    </form>
  `
}

function rowOf(row: BroadcastMessage, token: Html): Html {
  const { id, message: words, starts_at, ends_at } = row
  return html`
    <li>
      <div class="what">${isolated(words)}</div>
      <div class="facts">
        ${isActive(row) && html`<span class="tag">shown now</span>`}
        <span>${isPast(starts_at) ? html`began ${ago(starts_at)}` : html`begins ${ago(starts_at)}`}</span>
        <span>${isPast(ends_at) ? html`ended ${ago(ends_at)}` : html`ends ${ago(ends_at)}`}</span><a href="${address}/${id}/edit">Edit</a>
        ${postButton(t`Delete`, { action: `${address}/${id}/delete`, token, kind: 'danger' })}
      </div>
    </li>
  `
}

function isPast(instant: string): boolean {
  return Date.parse(instant) <= Date.now()
}
