/** Contributors and languages: what others may use of them. */
export { contributorsOf, languagesOf } from './stats.service.ts'
