VERSION = "0.3.0.dev0"
# The first version that trains to the bits of this one: a checkpoint of it, or of any since, is gone on with.
TRAINS_AS = "0.2.0"
