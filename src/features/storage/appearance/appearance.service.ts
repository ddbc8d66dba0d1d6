/** Changes the appearance of the instance: its texts and images. */
import type { App } from '../../../app.ts'
import { type Db, inTransaction } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import type { Upload } from '../../../http/parameters/upload.ts'
import { assertValid, lengthError } from '../../../validation.ts'
import { type Avatar, acceptImage, changeAvatar } from '../avatars/avatars.ts'
import { type ImageName, imageNames, images, maxImage_kib, type TextName, textNames, texts } from './appearance.fields.ts'
import { deletePart, writePart } from './appearance.queries.ts'
import { loadAppearance } from './shown.service.ts'
import { type Appearance, readAppearance } from './stored.service.ts'

export interface AppearanceChange extends Partial<Record<TextName, string | null | undefined>> {
  email_header_and_footer_enabled?: boolean | undefined
  /** Null removes an image. */
  images: Partial<Record<ImageName, Upload | null | undefined>>
}

/**
 * Sets the given parts and keeps the others; null and an empty text restore the default. Pages of this process show it at once, those of
 * others within a second. Throws 400 with the errors.
 */
export async function changeAppearance(app: App, change: AppearanceChange): Promise<Appearance> {
  assertValid(Object.fromEntries(textNames.map((name) => [name, textError(name, change[name] ?? '')])))
  const accepted: Array<[ImageName, Avatar]> = []
  for (const name of imageNames) {
    const rules = { field: name, folder: 'appearance', max_kib: maxImage_kib, kinds: images[name] }
    const image = await acceptImage(app, change.images[name], rules)
    if (image) accepted.push([name, image])
  }
  await inTransaction(app.db, async (tx) => {
    // Locks all of it: who changes an image at the same time must see which one they replace.
    await writePart(tx, { name: 'updated_at', value: JSON.stringify(now()), store_key: null })
    const before = await readAppearance(tx)
    for (const name of textNames) await writeText(tx, name, change[name])
    await writeText(tx, 'email_header_and_footer_enabled', change.email_header_and_footer_enabled)
    for (const [name, { avatar_key, avatar_name }] of accepted) {
      if (avatar_name === null) await deletePart(tx, name)
      else await writePart(tx, { name, value: JSON.stringify(avatar_name), store_key: avatar_key })
      await changeAvatar(tx, before.images[name], { avatar_key, avatar_name })
    }
    const names = changedNames(before, await readAppearance(tx)).map((name) => `appearance_${name}`)
    await publish(tx, { type: 'settings_changed', names, changed: names })
  })
  await loadAppearance(app)
  return readAppearance(app.db)
}

async function writeText(tx: Db, name: string, value: string | boolean | null | undefined): Promise<void> {
  if (value === undefined) return
  if (value === null || value === '') await deletePart(tx, name)
  else await writePart(tx, { name, value: JSON.stringify(value), store_key: null })
}

function changedNames(before: Appearance, after: Appearance): string[] {
  const plain = [...textNames, 'email_header_and_footer_enabled'] as const
  return [
    ...plain.filter((name) => before[name] !== after[name]),
    ...imageNames.filter((name) => before.images[name].avatar_key !== after.images[name].avatar_key),
  ]
}

function textError(name: TextName, text: string): string | null {
  if (!name.endsWith('_color')) return lengthError(text, texts[name])
  return text === '' || /^#(?:[0-9a-f]{3}){1,2}$/i.test(text) ? null : 'must be a valid color code'
}
