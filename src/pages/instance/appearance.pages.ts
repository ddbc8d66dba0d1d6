/** Files that browsers read for the appearance of the instance: the colours of its messages, and what it is as an installed application. */

import type { App } from '../../app.ts'
import { appearanceOf } from '../../features/storage/appearance/appearance.ts'
import { mediaTypeOf } from '../../features/storage/avatars/avatars.ts'
import { t } from '../../html/sentences.ts'
import { anyone } from '../../http/declare/rules.ts'
import { page } from '../frame/declaration.ts'
import { fileOf } from './file.ts'

export const appearancePages = [
  page('GET /-/appearance.css', {
    access: anyone(),
    beforeTerms: true,
    show: ({ app }) => fileOf('text/css; charset=utf-8', appearanceOf(app).style?.text ?? ''),
  }),
  page('GET /-/manifest.json', {
    access: anyone(),
    beforeTerms: true,
    show: ({ app }) => fileOf('application/manifest+json; charset=utf-8', JSON.stringify(manifestOf(app))),
  }),
]

function manifestOf(app: App) {
  const { title, pwa, images } = appearanceOf(app)
  const name = pwa.name ?? (title || t`Gitstead`)
  const icon = images.pwa_icon
  return {
    name,
    short_name: pwa.short_name ?? name,
    ...(pwa.description !== null && { description: pwa.description }),
    start_url: '/',
    scope: '/',
    display: 'browser',
    icons: icon === null ? [] : [{ src: icon, sizes: 'any', type: mediaTypeOf(icon.replace(/\?.*/, '')) }],
  }
}
