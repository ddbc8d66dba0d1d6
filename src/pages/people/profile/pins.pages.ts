/** Choosing the projects that one's profile shows first. */
import { Type } from 'typebox'
import type { User } from '../../../db/tables.ts'
import {
  type ListedProject,
  maxPins,
  pinnableProjects,
  pinnedProjects,
  pinProjects,
} from '../../../features/spaces/pinned-projects/pinned-projects.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { signedIn } from '../../../http/declare/rules.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { action, page, type Typed, type View, type Visit } from '../../frame/declaration.ts'
import { form, problemsOf, untouched } from '../../frame/forms.ts'
import { emptyState, isolated } from '../../frame/parts.ts'
import { settingsView } from '../settings/settings-view.ts'

type OwnVisit = Visit & { user: User }

export const pinPages = [
  page('GET /profile/pinned_projects', { access: signedIn(), show: (visit) => chooseView(visit, untouched) }),
  action('POST /profile/pinned_projects', {
    access: signedIn(),
    form: { project_ids: Type.Array(Id, { default: [], maxItems: 200 }) },
    async act({ app, user, sent }) {
      await pinProjects(app, user, sent.project_ids)
      return { redirect: `/${user.username}`, notice: t`Pinned projects saved` }
    },
    again: chooseView,
  }),
]

async function chooseView({ app, user, token }: OwnVisit, typed: Typed): Promise<View> {
  const offered = await pinnableProjects(app, user)
  const pinned = new Set((await pinnedProjects(app, user, user)).map(({ id }) => id))
  const back = `/${user.username}`
  return settingsView('profile', {
    title: t`Pinned projects`,
    main: html`
      <h1>Pinned projects</h1>
      <p>Your profile shows them first, up to ${maxPins}. Everybody sees those of them that they may see.</p>
      ${problemsOf(typed.errors, [])}
      ${
        offered.length === 0
          ? emptyState(t`There is no project of yours yet.`)
          : form(
              { action: '/profile/pinned_projects', token, submit: t`Save` },
              html`<ul class="rows">${offered.map((project) => choiceOf(project, pinned.has(project.id)))}</ul>`,
            )
      }
      <p><a href="${back}">Back to your profile</a></p>
    `,
  })
}

function choiceOf({ id, name_with_namespace, description }: ListedProject, isPinned: boolean): Html {
  return html`
    <li>
      <input type="checkbox" id="pin-${id}" name="project_ids[]" value="${id}"${isPinned && html` checked`}>
      <div class="what">
        <label for="pin-${id}">${isolated(name_with_namespace)}</label>
        ${description && html`<p>${isolated(description)}</p>`}
      </div>
    </li>
  `
}
