/** The appearance of the instance: its name, texts, images, and messages on every page. */

import { Type } from 'typebox'
import {
  changeAppearance,
  type ImageName,
  imageNames,
  images,
  maxImage_kib,
  readAppearance,
  type TextName,
  textNames,
} from '../../../features/storage/appearance/appearance.ts'
import { type Html, html } from '../../../html/html.ts'
import { t, translated } from '../../../html/sentences.ts'
import { File, nullable, oneOf } from '../../../http/parameters/schema.ts'
import { action, page, type Typed, type View } from '../../frame/declaration.ts'
import { checkbox, field, form, postButton, problemsOf, textArea, untouched } from '../../frame/forms.ts'
import { type AdminVisit, administration, adminView } from './admin-view.ts'
import { sentences } from './sentences.ts'

const address = '/admin/appearance'
const text = Type.String({ default: '' })
const file = Type.Optional(nullable(File))

const textFields = Object.fromEntries(textNames.map((name) => [name, text])) as Record<TextName, typeof text>
const imageFields = Object.fromEntries(imageNames.map((name) => [name, file])) as Record<ImageName, typeof file>

export const adminAppearancePages = [
  page('GET /admin/appearance', { access: administration(), show: (visit) => appearanceView(visit, untouched) }),
  action('POST /admin/appearance', {
    access: administration(),
    form: { ...textFields, email_header_and_footer_enabled: Type.Boolean({ default: false }), ...imageFields },
    maxBody_bytes: imageNames.length * maxImage_kib * 1024 + 1024 * 1024,
    async act({ app, sent: { logo, header_logo, favicon, pwa_icon, ...texts } }) {
      // A field without a file keeps the present image.
      const chosen = { logo: logo ?? undefined, header_logo: header_logo ?? undefined, favicon: favicon ?? undefined }
      await changeAppearance(app, { ...texts, images: { ...chosen, pwa_icon: pwa_icon ?? undefined } })
      return { redirect: address, notice: sentences.appearanceSaved }
    },
    again: appearanceView,
  }),
  action('POST /admin/appearance/remove', {
    access: administration(),
    form: { image: oneOf(...imageNames) },
    async act({ app, sent: { image } }) {
      await changeAppearance(app, { images: { [image]: null } })
      return { redirect: address, notice: sentences.imageRemoved }
    },
  }),
]

const labels: Record<ImageName, string> = translated({
  logo: 'Logo',
  header_logo: 'Logo in the header',
  favicon: 'Icon in browser tabs',
  pwa_icon: 'Icon of the application',
})

async function appearanceView({ app, token }: AdminVisit, typed: Typed): Promise<View> {
  const now = await readAppearance(app.db)
  const line = (label: string, name: TextName, hint?: string) => field(label, name, typed, { value: now[name], hint })
  const prose = (label: string, name: TextName, hint: string) => textArea(label, name, typed, { value: now[name], rows: 4, hint })
  const picture = (name: ImageName) => html`
    ${field(labels[name], name, typed, {
      type: 'file',
      accept: images[name].map((kind) => `.${kind}`).join(','),
      hint: sentences.imageHint(images[name], now.images[name].avatar_name),
    })}
  `
  const content = html`
    <h2>Front page and sign-in</h2>
    ${line(t`Name`, 'title', sentences.titleHint)}${prose(t`Description`, 'description', sentences.descriptionHint)}${picture('logo')}
    <h2>Every page</h2>
    ${picture('header_logo')}${picture('favicon')}${prose(t`Message above`, 'header_message', sentences.headerMessageHint)}
    ${prose(t`Message below`, 'footer_message', sentences.footerMessageHint)}
    <div class="pair">
      ${line(t`Background`, 'message_background_color', sentences.backgroundHint)}
      ${line(t`Text`, 'message_font_color', sentences.fontColorHint)}
    </div>
    ${checkbox(t`In mail, too`, 'email_header_and_footer_enabled', typed, {
      value: `${now.email_header_and_footer_enabled}`,
      hint: sentences.messagesInMailHint,
    })}
    <h2>Guidelines</h2>
    ${prose(t`New projects`, 'new_project_guidelines', sentences.projectGuidelinesHint)}
    ${prose(t`Members`, 'member_guidelines', sentences.memberGuidelinesHint)}
    ${prose(t`Pictures of people`, 'profile_image_guidelines', sentences.pictureGuidelinesHint)}
    <h2>As an installed application</h2>
    <div class="pair">
      ${line(t`Name of the application`, 'pwa_name')}${line(t`Short name`, 'pwa_short_name')}
    </div>
    ${line(t`What it is`, 'pwa_description')}${picture('pwa_icon')}
  `
  const fields = [...textNames, ...imageNames, 'email_header_and_footer_enabled']
  return adminView('appearance', {
    title: t`Appearance`,
    main: html`
      <h1>Appearance</h1>
      ${problemsOf(typed.errors, fields)}${form({ action: address, token, submit: t`Save appearance`, files: true }, content)}
      ${removals(
        imageNames.filter((name) => now.images[name].avatar_name !== null),
        token,
      )}
    `,
  })
}

function removals(names: readonly ImageName[], token: Html): Html | null {
  if (names.length === 0) return null
  const removal = (name: ImageName) =>
    postButton(t`Remove: ${labels[name]}`, { action: `${address}/remove`, token, fields: { image: name } })
  return html`<h2>Images</h2><div class="actions">${names.map(removal)}</div>`
}
