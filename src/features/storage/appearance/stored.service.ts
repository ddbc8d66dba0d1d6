/** The appearance of the instance as it is stored. */
import type { Db } from '../../../db/database.ts'
import type { Avatar } from '../avatars/avatars.ts'
import { type ImageName, imageNames, initial, type TextName, textNames } from './appearance.fields.ts'
import { storedParts } from './appearance.queries.ts'

export interface Appearance extends Record<TextName, string> {
  email_header_and_footer_enabled: boolean
  images: Record<ImageName, Avatar>
}

const withoutImage: Avatar = { avatar_key: null, avatar_name: null }

export async function readAppearance(db: Db): Promise<Appearance> {
  const rows = new Map((await storedParts(db)).map((row) => [row.name, row]))
  const partOf = (name: string) => {
    const row = rows.get(name)
    return row && JSON.parse(row.value)
  }
  const imageOf = (name: ImageName): Avatar => {
    const row = rows.get(name)
    return row ? { avatar_key: row.store_key, avatar_name: JSON.parse(row.value) as string } : withoutImage
  }
  return {
    ...(Object.fromEntries(textNames.map((name) => [name, partOf(name) ?? initial[name] ?? ''])) as Record<TextName, string>),
    email_header_and_footer_enabled: partOf('email_header_and_footer_enabled') === true,
    images: Object.fromEntries(imageNames.map((name) => [name, imageOf(name)])) as Record<ImageName, Avatar>,
  }
}

/** The path of an image; null if there is none. */
export function imagePath({ images }: Pick<Appearance, 'images'>, name: ImageName): string | null {
  const { avatar_name } = images[name]
  return avatar_name === null ? null : `/uploads/-/system/appearance/${name}/1/${avatar_name}`
}
