/** The part of sanitize-html that is used; the package brings no types. */
declare module 'sanitize-html' {
  export interface Attributes {
    [name: string]: string
  }
  export interface Options {
    allowedTags: string[]
    allowedAttributes: Record<string, string[]>
    allowedClasses?: Record<string, string[]>
    allowedSchemes: string[]
    allowedSchemesByTag?: Record<string, string[]>
    allowedSchemesAppliedToAttributes?: string[]
    allowProtocolRelative: boolean
    disallowedTagsMode?: 'discard' | 'escape'
    nestingLimit?: number
    parseStyleAttributes?: boolean
    transformTags?: Record<string, (tagName: string, attributes: Attributes) => { tagName: string; attribs: Attributes }>
  }
  export default function sanitizeHtml(html: string, options: Options): string
}
