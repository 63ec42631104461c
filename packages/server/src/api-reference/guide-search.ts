/** A guide with the texts below its headings. */
export interface SearchedGuide {
  path: string
  title: string
  sections: readonly { id: string; title: string; text: string }[]
}

export interface GuideHit {
  /** The address of the section. */
  href: string
  guide: string
  title: string
  /** The text around the first word. */
  excerpt: string
}

const maxHits = 50
const excerptLength = 200

/** The sections that contain all words of the query, those with the words in their titles first. */
export function searchGuides(guides: readonly SearchedGuide[], query: string): GuideHit[] {
  const words = wordsOf(query)
  if (words.length === 0) return []
  const hits = guides.flatMap(guide =>
    guide.sections.flatMap(({ id, title, text }) => {
      const heading = `${guide.title} ${title}`.toLowerCase()
      const body = text.toLowerCase()
      if (!words.every(word => heading.includes(word) || body.includes(word))) return []
      const inTitle = words.filter(word => heading.includes(word)).length
      const excerpt = excerptOf(text, Math.max(0, body.indexOf(words[0] ?? '')))
      return { inTitle, hit: { href: `${guide.path}#${id}`, guide: guide.title, title, excerpt } }
    }),
  )
  return hits
    .toSorted((a, b) => b.inTitle - a.inTitle)
    .slice(0, maxHits)
    .map(({ hit }) => hit)
}

/** At most ten words, so that a long query is no work. */
function wordsOf(query: string): string[] {
  return query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, 10)
}

/** Begins and ends between words. */
function excerptOf(text: string, at: number): string {
  const start = at < excerptLength / 2 ? 0 : text.indexOf(' ', at - excerptLength / 2) + 1
  if (start + excerptLength >= text.length) return (start > 0 ? '… ' : '') + text.slice(start)
  const end = text.lastIndexOf(' ', start + excerptLength)
  return `${start > 0 ? '… ' : ''}${text.slice(start, Math.max(end, at))} …`
}
