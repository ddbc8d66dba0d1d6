/** Help for users of this instance, and the small files that browsers and search engines request. */

import { httpCloneUrl, sshCloneUrl } from '../../../addresses/links.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { readSettings } from '../../../features/instance/settings/settings.ts'
import { appearanceOf } from '../../../features/storage/appearance/appearance.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { anyone } from '../../../http/declare/rules.ts'
import { asset } from '../../frame/assets.ts'
import { page } from '../../frame/declaration.ts'
import { copyableBlock } from '../../frame/parts.ts'
import { proseOf } from '../../frame/texts.ts'
import { fileOf } from '../file.ts'
import { hostKeysOf } from './host-keys.ts'
import { markdownPages } from './markdown.pages.ts'
import {
  apiHelp,
  askAdministrator,
  checkFingerprint,
  feedsHelp,
  firstPush,
  keysHelp,
  lfsHelp,
  limitLines,
  noLimits,
  overHttp,
  overSsh,
} from './sentences.ts'

export const helpPages = [
  page('GET /help', {
    access: anyone(),
    beforeTerms: true,
    async show({ app, user }) {
      const settings = await readSettings(app.db)
      const { help_page_text, help_page_support_url: support } = settings
      const more = support ? html`<p><a href="${support}">Get help</a></p>` : html`<p>${askAdministrator()}</p>`
      const limits = limitLines(settings)
      return {
        title: t`Help`,
        main: html`
          <div class="page-form">
            <h1>Help</h1>
            ${await proseOf(help_page_text)}${more}${gitHelp(app, user)}${await sshHelp(app)}
            <h2>API</h2>
            <p>${apiHelp()}</p>
            ${copyableBlock(`curl --header "PRIVATE-TOKEN: …" ${app.config.url}/api/v4/projects`)}
            <p><a href="/api/docs">API documentation</a></p>
            <h2>Writing</h2>
            <p><a href="/help/user/markdown">Markdown</a></p>
            <h2>Feeds</h2>
            <p>${feedsHelp()}</p>
            <h2>Keys</h2>
            <p>${keysHelp()}</p>
            <h2>Limits</h2>
            ${limits.length > 0 ? html`<ul>${limits.map((line) => html`<li>${line}</li>`)}</ul>` : html`<p>${noLimits()}</p>`}
          </div>
        `,
      }
    },
  }),
  ...markdownPages,
  page('GET /robots.txt', { access: anyone(), beforeTerms: true, show: () => fileOf('text/plain; charset=utf-8', robots) }),
  page('GET /favicon.ico', {
    access: anyone(),
    beforeTerms: true,
    show: ({ app }) => ({ redirect: appearanceOf(app).images.favicon ?? asset('icons.svg'), status: 302 }),
  }),
  page('GET /opensearch.xml', {
    access: anyone(),
    beforeTerms: true,
    show: ({ app }) => fileOf('application/opensearchdescription+xml; charset=utf-8', openSearch(app).text),
  }),
]

function gitHelp({ config }: App, user: User | null): Html {
  const path = `${user?.username ?? 'username'}/my-project`
  return html`
    <h2>Clone and push</h2>
    <p>${firstPush()}</p>
    ${copyableBlock(`git push ${httpCloneUrl(config, path)} main`)}
    <p>${overHttp()} <a href="/profile/personal_access_tokens">Create a token</a></p>
    <p>${lfsHelp()}</p>
    ${copyableBlock('git lfs install\ngit lfs track "*.psd"')}
  `
}

async function sshHelp(app: App): Promise<Html | null> {
  if (app.config.ssh_port === null) return null
  const keys = await hostKeysOf(app)
  return html`
    <h2>SSH</h2>
    <p>${overSsh()}</p>
    ${copyableBlock(`ssh-keygen -t ed25519\ngit clone ${sshCloneUrl(app.config, 'group/project')}`)}
    <p><a href="/profile/keys">Add an SSH key</a></p>
    ${
      keys.length > 0 &&
      html`
        <p>${checkFingerprint()}</p>
        <dl class="facts">
          ${keys.map(
            ({ type, sha256, md5 }) => html`
              <dt>${type}</dt><dd><code>SHA256:${sha256}</code><br><code>MD5:${md5}</code></dd>
            `,
          )}
        </dl>
      `
    }
  `
}

/** Search engines may index code; not pages that are generated per request, change something or are personal. */
const robots = `User-agent: *
Disallow: /api/
Disallow: /dashboard/
Disallow: /profile
Disallow: /admin
Disallow: /users/
Disallow: /search
Disallow: /*/*/archive/
Disallow: /*/*/blame/
Disallow: /*/*/commits/
Disallow: /*/*/compare
Disallow: /*/*/raw/
Disallow: /*.atom$
`

function openSearch({ config }: App): Html {
  return html`<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/"><ShortName>Gitstead</ShortName>
<Description>Projects and groups at ${new URL(config.url).host}</Description><InputEncoding>UTF-8</InputEncoding>
<Url type="text/html" template="${config.url}/search?search={searchTerms}"/></OpenSearchDescription>
`
}
