/** Templates of descriptions: what other features may use. */
export { type Described, descriptionTemplates, textOfTemplate } from './description-templates.service.ts'
