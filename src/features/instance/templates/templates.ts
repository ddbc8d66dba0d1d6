/** Templates: what other features may use. */
export { ciFiles } from './ci-files.ts'
export { dockerfiles } from './dockerfiles.ts'
export { gitignores } from './gitignores.ts'
export { fillIn, licenses } from './licenses.ts'
export { License, licenseFor, namesInLicense, TemplateText } from './templates.endpoints.ts'
