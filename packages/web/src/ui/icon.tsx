const paths = {
  hash: 'M9 4 7 20M17 4l-2 16M4 9h16M4 15h16',
  plus: 'M12 5v14M5 12h14',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM2.5 20a6.5 6.5 0 0 1 13 0M16 4.3a3.5 3.5 0 0 ' +
    '1 0 6.4M18 14.2a6.5 6.5 0 0 1 3.5 5.8',
  chat: 'M4 5h16v11H9l-5 4V5Z',
  settings:
    'M12 15.2a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4ZM19.4 13.5l1.6 1.3-1.9 3.3-2-.7a7.6 ' +
    '7.6 0 0 1-2.2 1.3L14.5 21h-5l-.4-2.3A7.6 7.6 0 0 1 7 17.4l-2 .7-2-3.3 1.6-1.3a7.6 7.6 0 ' +
    '0 1 0-3L3 9.2l2-3.3 2 .7a7.6 7.6 0 0 1 2.1-1.3L9.5 3h5l.4 2.3A7.6 7.6 0 0 1 17 6.6l2-.7 ' +
    '2 3.3-1.6 1.3a7.6 7.6 0 0 1 0 3Z',
  close: 'M6 6l12 12M18 6 6 18',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  back: 'M15 5l-7 7 7 7',
  menu: 'M4 7h16M4 12h16M4 17h16',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  edit: 'M4 20l1-4L16.5 4.5l3 3L8 19l-4 1ZM14 7l3 3',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10.5 11v5.5M13.5 11v5.5',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  send: 'M4 12 20 4l-5 16-3.5-6.5L4 12ZM11.5 13.5 20 4',
  down: 'M12 5v14M6 13l6 6 6-6',
  up: 'M12 19V5M6 11l6-6 6 6',
  chevron: 'M6 9l6 6 6-6',
  eye: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12ZM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6Z',
  slash: 'M16 4 8 20',
  code: 'M8 7l-5 5 5 5M16 7l5 5-5 5',
  exit: 'M14 4h5v16h-5M4 12h11M11 8l4 4-4 4',
  link: 'M10 14a4 4 0 0 0 6 .5l3-3a4.2 4.2 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6-.5l-3 3a4.2 4.2 0 0 0 6 6l1-1',
  hook: 'M9 8a3.5 3.5 0 1 1 5 3l3 5M15 16h-5a3.5 3.5 0 1 1-3-4.5M17 16a3 3 0 1 1-1.5 4.5L12 9',
  lock: 'M6 11h12v9H6zM9 11V8a3 3 0 0 1 6 0v3',
  globe:
    'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM3 12h18M12 3c2.5 2.6 3.7 5.6 3.7 9S14.5 18.4 12 ' +
    '21c-2.5-2.6-3.7-5.6-3.7-9S9.5 5.6 12 3Z',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M5 19l2-2M17 7l2-2',
  user: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM4.5 20.5a7.5 7.5 0 0 1 15 0',
  bot: 'M5 9h14v10H5zM12 9V5M9.5 13.5v1M14.5 13.5v1M12 5h.01',
  external: 'M10 5H5v14h14v-5M14 4h6v6M20 4l-9 9',
  warning: 'M12 4 2.5 20h19L12 4ZM12 10v5M12 17.5h.01',
  flag: 'M5 21V4M5 4h13l-3 4.5 3 4.5H5',
  bell: 'M6 17V11a6 6 0 0 1 12 0v6l1.5 1.5h-15L6 17ZM10 21h4',
  mute: 'M6 17V11a6 6 0 0 1 9-5.2M18 11v6l1.5 1.5h-15L6 17M10 21h4M4 4l16 16',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM12 7v5l3.5 2',
  enter: 'M20 6v6a3 3 0 0 1-3 3H5M9 11l-4 4 4 4',
} as const

export type IconName = keyof typeof paths

/** Hidden from screen readers: it is beside a text or in a control that has a label. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path
        d={paths[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth={name === 'more' ? 3 : 1.8}
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  )
}
