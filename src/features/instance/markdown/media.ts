/** Pictures in clean HTML as what they are: those that move or sound get controls, and none is loaded before it is seen. */

const videos = /\.(?:mp4|m4v|mov|webm|ogv)(?:[?#]|$)/i
const sounds = /\.(?:mp3|oga|ogg|wav|flac|m4a|opus)(?:[?#]|$)/i

const pictures = /<a\s[\s\S]*?<\/a>|<img((?:\s[\w-]+="[^"]*")*)\s*\/>/g

/** @param html as sanitizing leaves it: attributes in quotes, all signs in them written out */
export function withMedia(html: string): string {
  if (!html.includes('<img')) return html
  return html.replace(pictures, (whole, attributes: string | undefined) => {
    // A video inside a link stays an image, since a player's controls can't be used within a link.
    if (attributes === undefined) return whole.replaceAll('<img ', '<img loading="lazy" ')
    const source = /\ssrc="([^"]*)"/.exec(attributes)?.[1] ?? ''
    const name = videos.test(source) ? 'video' : sounds.test(source) ? 'audio' : null
    if (name === null) return `<img loading="lazy"${attributes} />`
    const words = /\s(?:title|alt)="([^"]+)"/.exec(attributes)?.[1] ?? source.replace(/[?#].*$/, '').replace(/^.*\//, '')
    const size = name === 'video' ? (attributes.match(/\s(?:width|height)="\d{1,4}"/g) ?? []).join('') : ''
    return `<${name} controls preload="metadata" src="${source}" aria-label="${words}"${size}></${name}> <a href="${source}">${words}</a>`
  })
}
