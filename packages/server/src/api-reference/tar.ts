const blockBytes = 512

/**
 * A tar archive of text files by their paths, which are ASCII of up to 100 characters (POSIX.1-2017, `pax`, “ustar
 * Interchange Format”). The same files give the same bytes.
 */
export function createTar(files: Readonly<Record<string, string>>): Buffer {
  const entries = Object.entries(files).flatMap(([path, text]) => {
    const content = Buffer.from(text)
    return [headerOf(path, content.length), content, Buffer.alloc(-content.length & (blockBytes - 1))]
  })
  return Buffer.concat([...entries, Buffer.alloc(2 * blockBytes)])
}

function headerOf(path: string, bytes: number): Buffer {
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`
  const header = Buffer.alloc(blockBytes)
  const write = (offset: number, text: string) => header.write(text, offset, 'latin1')
  write(0, path)
  write(100, octal(0o644, 7))
  // Owner, group and time of the change.
  write(108, octal(0, 7))
  write(116, octal(0, 7))
  write(136, octal(0, 11))
  write(124, octal(bytes, 11))
  // A regular file.
  write(156, '0')
  write(257, 'ustar\x0000')
  // The sum of all bytes, with spaces in the place of the sum.
  write(148, ' '.repeat(8))
  write(
    148,
    `${octal(
      header.reduce((sum, byte) => sum + byte, 0),
      6,
    )} `,
  )
  return header
}
