/** The labels of a project or group as rows, and the form of one. */

import { placeAddress } from '../../../addresses/places.ts'
import { labelsAddress } from '../../../addresses/planning.ts'
import type { Label, User } from '../../../db/tables.ts'
import { describeLabels, labelPlace, listLabels, type SeenLabel } from '../../../features/planning/labels/labels.ts'
import { type Html, html } from '../../../html/html.ts'
import { count } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import type { Place } from '../../../http/declare/places.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import type { Typed, View, Visit } from '../../frame/declaration.ts'
import { dangerous, field, form, postButton, problemsOf, textArea, untouched } from '../../frame/forms.ts'
import { pagesBelow } from '../../frame/paging.ts'
import { emptyState, icon } from '../../frame/parts.ts'
import { labelTag } from '../../project/labels.ts'
import { mayPlanIn } from '../places/places.ts'
import { sentences } from './sentences.ts'

const perPage = 50

export type SeenLabels = Visit & { place: Place; user: User | null }

export async function labelsView(seen: SeenLabels, sent: { page: number; search: string }): Promise<Omit<View, 'above'>> {
  const { app, place, user } = seen
  const address = labelsAddress(place)
  const { rows, total } = await listLabels(
    app.db,
    labelPlace(place),
    'inherited',
    sent.search.trim(),
    pageFrom({ ...sent, per_page: perPage }),
  )
  const labels = await describeLabels(app, place, user, rows)
  const add = mayPlanIn(place, 'manage_labels') && html`<a class="button primary" href="${address}/new">${icon('plus')} New label</a>`
  const here = sent.search === '' ? address : `${address}?${new URLSearchParams({ search: sent.search })}`
  return {
    title: t`Labels`,
    main: html`
      <div class="heading">
        <h1>Labels <span class="hint">${count(total, 'label')}</span></h1>
        ${add}
      </div>
      <form class="filters" role="search" action="${address}">
        <label class="unseen" for="search">Find by name</label>
        <input id="search" name="search" type="search" value="${sent.search}" placeholder="Find by name">
        <button>Find</button>
      </form>
      ${
        total === 0
          ? emptyState(sent.search === '' ? sentences.none : sentences.noneFound, sent.search === '' && add)
          : html`<ul class="rows">${labels.map((label) => row(seen, label))}</ul>`
      }
      ${pagesBelow(here, { page: sent.page, per_page: perPage, total })}
    `,
  }
}

function row(seen: SeenLabels, { label, issues, isSubscribed, priority }: SeenLabel): Html {
  const { place, user, token } = seen
  const { id, title, description } = label
  const address = `${labelsAddress(place)}/${id}`
  const list = placeAddress(place, 'issues')
  const issuesOf = `${list}?${new URLSearchParams({ 'label_name[]': title })}`
  const isOwn = place.kind === 'project' ? label.project_id === place.row.id : label.namespace_id === place.row.id
  const word = isSubscribed ? 'unsubscribe' : 'subscribe'
  return html`
    <li>
      <div class="what">
        ${labelTag(label, list)}${priority !== null && html`<span class="tag">Priority ${priority}</span>`}
        <p>
          ${description}${!isOwn && html` <span title="${sentences.inherited}">${description !== null && '· '}from a group</span>`}
        </p>
      </div>
      <div class="facts">
        <a href="${issuesOf}">${count(issues.opened, 'open issue')}</a>
        ${issues.closed > 0 && html`<span>${issues.closed} closed</span>`}
        ${
          user !== null &&
          postButton(html`${isSubscribed ? t`Unsubscribe` : t`Subscribe`}<span class="unseen"> ${title}</span>`, {
            action: `${address}/${word}`,
            token,
          })
        }
        ${
          isOwn &&
          mayPlanIn(place, 'manage_labels') &&
          html`<a class="button" href="${address}/edit">Edit<span class="unseen"> ${title}</span></a>`
        }
      </div>
    </li>
  `
}

/** `label` is null for a new one. */
export async function labelFormView(
  { app, place, user, token }: SeenLabels,
  label: Label | null,
  typed: Typed = untouched,
): Promise<Omit<View, 'above'>> {
  const [seen] = label ? await describeLabels(app, place, user, [label]) : []
  const address = labelsAddress(place)
  const heading = label ? t`Edit label` : t`New label`
  const content = html`
    ${field(t`Name`, 'title', typed, { value: label?.title, required: true, autofocus: true, autocomplete: 'off' })}
    ${field(t`Color`, 'color', typed, {
      value: label?.color ?? '#428bca',
      required: true,
      hint: sentences.colorHint,
      list: offered,
    })}
    ${textArea(t`Description`, 'description', typed, { value: label?.description ?? '', rows: 2 })}
    ${
      place.kind === 'project' &&
      field(t`Priority`, 'priority', typed, { type: 'number', min: 0, value: seen?.priority?.toString(), hint: sentences.priorityHint })
    }
  `
  return {
    title: heading,
    main: html`
      <h1>${heading}</h1>
      ${problemsOf(typed.errors, ['title', 'color', 'description', 'priority'])}
      ${form({ action: label ? `${address}/${label.id}` : address, token, submit: label ? t`Save` : t`Create label` }, content)}
      ${
        label &&
        html`
          <h2>More</h2>
          ${promotion(place, label, token)}
          ${dangerous(
            t`Delete the label`,
            html`
              <p>${sentences.deletion}</p>
              ${postButton(t`Delete label`, { action: `${address}/${label.id}/remove`, token, kind: 'danger' })}
            `,
          )}
        `
      }
    `,
  }
}

function promotion(place: Place, label: Label, token: Html): Html | false {
  return (
    place.kind === 'project' &&
    place.row.namespace_kind === 'group' &&
    dangerous(
      t`Promote to a label of the group`,
      html`
        <p>${sentences.promotion}</p>
        ${postButton(t`Promote label`, { action: `${labelsAddress(place)}/${label.id}/promote`, token, kind: 'danger' })}
      `,
    )
  )
}

/** Suggested colors that are easy to distinguish. */
const offered = ['#428bca', '#1a7f37', '#d93f0b', '#c21e73', '#8250df', '#bf8700', '#57606a', '#0e8a8a']
