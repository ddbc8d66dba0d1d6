/** Templates: what others may use of them. */
export { ciFiles } from './ci-files.ts'
export { gitignores } from './gitignores.ts'
export { fillIn, licenses } from './licenses.ts'
