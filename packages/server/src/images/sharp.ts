import sharp from 'sharp'

// The settings of libvips are global. Only the loaders of the four image formats are allowed.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({ operation: ['Jpeg', 'Png', 'Webp', 'Nsgif'].map(name => `VipsForeignLoad${name}Buffer`) })
sharp.concurrency(1)
sharp.cache(false)

export { sharp }
