/** Lists of CI settings whose rows can only be added and removed: their rows, with a form to add one below. */
import { type Html, html } from '../../../html/html.ts'
import type { ProjectGranted, SignedIn } from '../../../http/declare/rules.ts'
import type { View, Visit } from '../../frame/declaration.ts'
import { dangerous, form } from '../../frame/forms.ts'
import { framed, type SettingsSeen } from './places.ts'

export type ProjectSeen = Visit & ProjectGranted & SignedIn

/** The project as a place of settings. */
export function ofProject({ project, level, ...seen }: ProjectSeen): SettingsSeen {
  return { ...seen, place: { kind: 'project', row: project, level } }
}

/** A row whose removal is confirmed, with its consequence. */
export function removableRow(row: {
  what: Html
  /** Distinguishes the buttons of rows for those who don't see them. */
  name: string
  verb: string
  consequence: string
  removal: { action: string; token: Html; submit: string }
}): Html {
  const summary = html`${row.verb}<span class="unseen"> <bdi>${row.name}</bdi></span>`
  return html`
    <li>
      <div class="what">${row.what}</div>
      <div class="facts">
        ${dangerous(summary, html`<p>${row.consequence}</p>${form({ ...row.removal, kind: 'danger' }, html``)}`)}
      </div>
    </li>
  `
}

export function listWithForm(list: { about: string; none: string; rows: Html[]; adding: { title: string; form: Html } }): Html {
  return html`
    <p class="hint">${list.about}</p>
    ${list.rows.length === 0 ? html`<p class="empty">${list.none}</p>` : html`<ul class="rows">${list.rows}</ul>`}
    <details class="panel"><summary>${list.adding.title}</summary>${list.adding.form}</details>
  `
}

interface FormPage {
  title: string
  /** The list above it: its address and name. */
  back: [href: string, label: string]
  section?: 'runners' | 'variables'
}

/** A page with one form of these settings, and a link back to their list. */
export function formPage(seen: SettingsSeen, { title, back: [href, label], section = 'variables' }: FormPage, content: Html): View {
  const back = html`<p><a href="${href}">${label}</a></p>`
  return framed(seen, section, { title, main: html`<div class="form-page"><h1>${title}</h1>${back}${content}</div>` })
}
