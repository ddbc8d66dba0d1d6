/** Templates of descriptions: what others may use of them. */
export { type Described, descriptionTemplates, textOfTemplate } from './description-templates.service.ts'
