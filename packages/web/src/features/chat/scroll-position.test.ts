import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createScrollPosition, type Scroller } from './scroll-position.ts'

const threshold = 80

/** A list of rows in a viewport. Like a browser, it clamps the scroll position to the range. */
function createList(count = 40) {
  const rows = Array.from({ length: count }, (_, key) => ({ key: key + 1, height: 50 }))
  const starts = () => {
    let start = 0
    return rows.map(({ key, height }) => {
      start += height
      return { key, start: start - height, end: start }
    })
  }
  let scrollTop = 0
  let viewport = 300
  let unrendered = 0
  const scroller: Scroller = {
    get scrollHeight() {
      return rows.reduce((sum, { height }) => sum + height, 0) - unrendered
    },
    get clientHeight() {
      return viewport
    },
    get scrollTop() {
      return scrollTop
    },
    set scrollTop(top) {
      scrollTop = Math.min(Math.max(0, top), scroller.scrollHeight - viewport)
    },
  }
  const ends: boolean[] = []
  const position = createScrollPosition({
    threshold,
    scroller: () => scroller,
    rows: starts,
    isFollowing: () => true,
    onChange: isAtEnd => ends.push(isAtEnd),
  })
  const list = {
    rows,
    scroller,
    position,
    /** What the client was told last. */
    isAtEnd: () => ends.at(-1) ?? true,
    distance: () => scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop,
    /** The position of a row in the viewport. */
    topOf: (key: number) => (starts().find(row => row.key === key)?.start ?? Number.NaN) - scroller.scrollTop,
    render() {
      unrendered = 0
      position.onRender(String(rows.at(-1)?.key))
    },
    scrollByUser(delta: number) {
      scroller.scrollTop += delta
      position.update()
    },
    setHeight(key: number, height: number) {
      for (const row of rows) if (row.key === key) row.height = height
      scroller.scrollTop += 0
    },
    /** Measures a row, whose new height is not rendered before `render`. */
    measure(key: number, height: number) {
      const before = scroller.scrollHeight
      for (const row of rows) if (row.key === key) row.height = height
      unrendered += scroller.scrollHeight - before
    },
    setViewport(height: number) {
      viewport = height
      scroller.scrollTop += 0
    },
  }
  list.render()
  return list
}

/** A list whose first visible row is 20, 10 px below the upper edge. */
function scrolledUp() {
  const list = createList()
  list.scrollByUser(-(list.scroller.scrollTop - 940))
  assert.equal(list.topOf(20), 10)
  assert.equal(list.isAtEnd(), false)
  return list
}

test('sticks to the end while rows and the viewport change', () => {
  const list = createList()
  assert.equal(list.distance(), 0)
  list.rows.push({ key: 100, height: 50 })
  list.render()
  list.setHeight(30, 400)
  list.render()
  list.setViewport(500)
  list.position.update()
  list.setHeight(30, 20)
  list.setViewport(200)
  list.position.onResize()
  assert.equal(list.distance(), 0)
  assert.equal(list.isAtEnd(), true)
})

test('keeps a distance from the end that is below the threshold until a row is added', () => {
  const list = createList()
  list.scrollByUser(-60)
  list.setHeight(40, 90)
  list.render()
  assert.equal(list.distance(), 60)
  assert.equal(list.isAtEnd(), true)
  list.rows.push({ key: 100, height: 50 })
  list.render()
  assert.equal(list.distance(), 0)
})

test('the first visible row keeps its position while the layout changes', () => {
  const list = scrolledUp()
  list.setHeight(3, 200)
  list.render()
  list.setHeight(19, 10)
  list.rows.push({ key: 100, height: 50 })
  list.render()
  list.setViewport(700)
  list.position.update()
  assert.equal(list.topOf(20), 10)
  list.rows.unshift({ key: 0, height: 500 })
  list.render()
  assert.equal(list.topOf(20), 10)
  assert.equal(list.isAtEnd(), false)
})

test('a window that grows and shrinks back within a frame keeps the position', () => {
  for (const key of [20, 35]) {
    const list = scrolledUp()
    list.scrollByUser(list.topOf(key) - 10)
    const distance = list.distance()
    list.setViewport(1900)
    list.setViewport(300)
    list.position.onResize()
    assert.equal(list.topOf(key), 10)
    assert.equal(list.distance(), distance)
  }
})

test('a correction of the virtualizer before the layout changes is not a scroll by the user', () => {
  const list = scrolledUp()
  const correct = () => {
    list.scroller.scrollTop += 150
  }
  list.position.scrollTo(correct, false)
  // The virtualizer measures a new row while React commits it, and renders its height afterwards.
  list.render()
  list.setHeight(3, 200)
  list.render()
  assert.equal(list.topOf(20), 10)
})

test('corrections for rows that are not rendered with their height do not scroll to the end', () => {
  const list = scrolledUp()
  for (const key of [3, 4, 5, 6, 7]) {
    list.measure(key, 400)
    list.position.scrollTo(() => {
      list.scroller.scrollTop += 350
    }, false)
  }
  // A scroll event comes before the render.
  list.position.update()
  assert.equal(list.isAtEnd(), false)
  list.render()
  assert.equal(list.topOf(20), 10)
  assert.equal(list.isAtEnd(), false)
})

test('a correction of the virtualizer from an outdated position does not move the first visible row', () => {
  const list = scrolledUp()
  list.rows.unshift({ key: 0, height: 500 })
  list.position.scrollTo(() => {
    list.scroller.scrollTop = 1500
  }, false)
  list.render()
  assert.equal(list.topOf(20), 10)
  // After a render, as when the list has become long enough for an earlier correction.
  list.position.scrollTo(() => {
    list.scroller.scrollTop = 1600
  }, false)
  assert.equal(list.topOf(20), 10)
})

test('a command scrolls, and its target keeps its position afterwards', () => {
  const list = createList()
  // Ignored at the end, where nothing but the end is restored.
  const scroll = () => {
    list.scroller.scrollTop = 500
  }
  list.position.scrollTo(scroll, true)
  assert.equal(list.distance(), 0)
  list.position.leave(() => list.position.scrollTo(scroll, true))
  assert.equal(list.topOf(11), 0)
  assert.equal(list.isAtEnd(), false)
  // The virtualizer repeats the command when it has measured the rows.
  list.setHeight(3, 200)
  list.position.scrollTo(() => {
    list.scroller.scrollTop = 650
  }, true)
  list.render()
  assert.equal(list.topOf(11), 0)
  list.setHeight(4, 300)
  list.render()
  assert.equal(list.topOf(11), 0)
  list.position.scrollToEnd()
  assert.equal(list.distance(), 0)
  assert.equal(list.isAtEnd(), true)
})
