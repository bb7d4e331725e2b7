// The recipes of the targets that `ink pack` knows by name, from the folder recipes.
#include "ink_recipes.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char mcaddon[] = {
#embed "recipes/mcaddon.json"
};
static const unsigned char sprites[] = {
#embed "recipes/sprites.json"
};
static const unsigned char telegram[] = {
#embed "recipes/telegram.json"
};
static const unsigned char whatsapp[] = {
#embed "recipes/whatsapp.json"
};
static const unsigned char emotes[] = {
#embed "recipes/emotes.json"
};
static const unsigned char android_icons[] = {
#embed "recipes/android-icons.json"
};
static const unsigned char apple_icons[] = {
#embed "recipes/apple-icons.json"
};
static const unsigned char web_icons[] = {
#embed "recipes/web-icons.json"
};

// In the order of a list.
static const struct ink_recipe recipes[] = {
    {"mcaddon", mcaddon, sizeof(mcaddon)},
    {"sprites", sprites, sizeof(sprites)},
    {"telegram", telegram, sizeof(telegram)},
    {"whatsapp", whatsapp, sizeof(whatsapp)},
    {"emotes", emotes, sizeof(emotes)},
    {"android-icons", android_icons, sizeof(android_icons)},
    {"apple-icons", apple_icons, sizeof(apple_icons)},
    {"web-icons", web_icons, sizeof(web_icons)},
};

size_t ink_recipe_count(void) { return sizeof(recipes) / sizeof(recipes[0]); }

struct ink_recipe ink_recipe_at(size_t index) { return recipes[index]; }
