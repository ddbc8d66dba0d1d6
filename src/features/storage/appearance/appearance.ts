/** The appearance of the instance: what other features and pages may use. */
export { type ImageName, imageNames, images, maxImage_kib, type TextName, textNames } from './appearance.fields.ts'
export { changeAppearance } from './appearance.service.ts'
export { appearanceOf, type Message, type ShownAppearance, watchAppearance } from './shown.service.ts'
export { type Appearance, readAppearance } from './stored.service.ts'
