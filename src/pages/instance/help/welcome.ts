/** The front page for visitors: what this installation is, the ways in, and the public projects that were active last. */

import type { App } from '../../../app.ts'
import { readSettings } from '../../../features/instance/settings/settings.ts'
import { pageOfProjects } from '../../../features/spaces/projects/projects.ts'
import { appearanceOf } from '../../../features/storage/appearance/appearance.ts'
import { html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import type { View } from '../../frame/declaration.ts'
import { emptyState } from '../../frame/parts.ts'
import { proseOf } from '../../frame/texts.ts'
import { listOf } from '../../spaces/project-lists.ts'
import { aboutService, nothingPublic } from './sentences.ts'

const shownProjects = 10

export async function welcomeView(app: App): Promise<View> {
  const order = { order_by: 'last_activity_at', sort: 'desc' } as const
  const [settings, { rows, total }] = await Promise.all([
    readSettings(app.db),
    pageOfProjects(app, null, order, { limit: shownProjects, offset: 0 }),
  ])
  const { title, description, images } = appearanceOf(app)
  const mayRegister = settings.password_authentication_enabled_for_web && settings.signup_enabled
  const projects =
    rows.length === 0
      ? emptyState(nothingPublic())
      : html`${listOf(rows)}${total > rows.length && html`<p><a href="/explore/projects">All public projects</a></p>`}`
  return {
    title: t`Gitstead`,
    main: html`
      <div class="welcome">
        <header>
          ${images.logo !== null && html`<img class="instance-logo" src="${images.logo}" alt="">`}
          <h1>${title || new URL(app.config.url).host}</h1>
          ${(await proseOf(description ?? settings.sign_in_text)) ?? html`<p>${aboutService()}</p>`}
          <p class="actions">
            <a class="button primary" href="/users/sign_in">Sign in</a>
            ${mayRegister && html`<a class="button" href="/users/sign_up">Create an account</a>`}
            <a class="button" href="/explore/projects">Explore</a>
          </p>
        </header>
        <section aria-labelledby="public-projects">
          <h2 id="public-projects">Public projects</h2>
          ${projects}
        </section>
      </div>
    `,
  }
}
